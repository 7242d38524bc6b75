import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@chandlery/api';
import type { PodSpec } from '../../model/pods/pod.ts';
import type { PodStatus } from '../../model/pods/pod-status.ts';
import type { PodNode, PodSources } from '../../ports.ts';
import { createProcessNode, type ProcessNodeOptions } from './process-node.ts';

/** A folder that is deleted with the test. */
export function testFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'chandlery-node-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const quick = { initialMs: 50, maxMs: 200, resetMs: 60_000 };

/** A node in a folder of its own, with short timeouts. */
export function testNode(options: Partial<ProcessNodeOptions> = {}): TestNode {
  const folder = testFolder();
  const limits = { backOff: quick, disposeGraceSeconds: 0, ...options.limits };
  const node = createProcessNode({ folder: folder.path, ...options, limits });
  const dispose = async (): Promise<void> => {
    await node[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  return { node, folder: options.folder ?? folder.path, [Symbol.asyncDispose]: dispose };
}

interface TestNode extends AsyncDisposable {
  readonly node: PodNode;
  readonly folder: string;
}

export const noSources: PodSources = { secrets: {}, configMaps: {} };

/** A Pod object of this spec. */
export const testPod = (spec: PodSpec, uid = 'u1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { uid, name: `pod-${uid}`, namespace: 'ns', labels: { app: 'test' } },
  spec,
});

/** One container that runs a shell script. */
export const shell = (script: string): { name: string; command: readonly string[] } => ({
  name: 'main',
  command: ['sh', '-c', script],
});

/** Settles with the first status that matches, now or later. */
export function untilStatus(node: PodNode, uid: string, fits: (status: PodStatus) => boolean): Promise<PodStatus> {
  return new Promise(resolve => {
    const current = node.statusOf(uid);
    if (current !== undefined && fits(current)) return resolve(current);
    const stop = node.onStatus((changed, status) => {
      if (changed !== uid || !fits(status)) return;
      stop();
      resolve(status);
    });
  });
}

/** A whole log as text. */
export async function readText(log: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of log) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Polls, for what cannot be awaited. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise(resolve => setTimeout(resolve, 10));
}

/** Whether a process exists; a zombie does not count. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
