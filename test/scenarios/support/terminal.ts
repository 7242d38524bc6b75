import assert from 'node:assert/strict';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  freePorts,
  kubectlPath,
  type ProcessResult,
  type RunningProcess,
  runProcess,
  startProcess,
} from '@chandlery/testing';

const root = join(import.meta.dirname, '../../..');
const bin = join(root, 'apps/cli/bin/chandlery.mjs');

/** The blocks of a page in a language, in their order. */
export function blocksIn(page: string, language: 'sh' | 'yaml' = 'sh'): string[] {
  return [...page.matchAll(/```(\w*)\n(.*?)```/gs)]
    .filter(([, found]) => found === language)
    .map(([, , block = '']) => block);
}

/** The blocks of a page of this repository, such as `docs/tenants.md`. */
export const blocksOf = async (path: string, language: 'sh' | 'yaml' = 'sh'): Promise<string[]> =>
  blocksIn(await readFile(join(root, path), 'utf8'), language);

/** A landscape in a folder of its own, where the examples are, and a shell in that folder: what readers of a guide have. */
export class Terminal implements AsyncDisposable {
  readonly server: RunningProcess;
  readonly folder: string;
  readonly port: number;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(
    server: RunningProcess,
    place: { readonly folder: string; readonly port: number; readonly env: Readonly<Record<string, string>> },
  ) {
    this.server = server;
    this.folder = place.folder;
    this.port = place.port;
    this.#env = place.env;
  }

  static async open(folder: string, ...flags: readonly string[]): Promise<Terminal> {
    await mkdir(folder, { recursive: true });
    await symlink(join(root, 'examples'), join(folder, 'examples'));
    const [port = 0, xdsPort, healthPort] = await freePorts(3);
    const env = {
      CHANDLERY_PORT: String(port),
      CHANDLERY_XDS_PORT: String(xdsPort),
      PORT_HEALTH: String(healthPort),
      HOME: folder,
      PATH: [dirname(await kubectlPath()), join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
    };
    const ready = /Chandlery is ready/;
    const server = await startProcess(process.execPath, [bin, 'up', ...flags], { cwd: folder, env, ready });
    return new Terminal(server, { folder, port, env });
  }

  /** Runs commands to their end, whatever fails among them. */
  async type(...scripts: readonly string[]): Promise<ProcessResult> {
    // npx would look for a package of that name.
    const script = ['npx() { "$@"; }', ...scripts].join('\n');
    return runProcess('bash', ['-c', script], { cwd: this.folder, env: this.#env, timeoutMs: 420_000 });
  }

  /** Runs commands, and returns all that they print; fails with it when one of them does. */
  async run(...scripts: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.type('set -eo pipefail', ...scripts);
    const output = `${stdout}\n${stderr}`;
    assert.equal(code, 0, output);
    return output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}
