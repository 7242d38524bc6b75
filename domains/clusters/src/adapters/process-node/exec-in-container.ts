import { randomUUID } from 'node:crypto';
import type { ProbeResult } from './handlers.ts';
import type { NodeDeps } from './node-deps.ts';
import type { PreparedContainer } from './prepare-container.ts';

const maxOutput = 1024;

/**
 * Runs a command with a container's folder and variables; it stops with the container. In an isolated container it sees
 * the files, not the processes.
 */
export async function execInContainer(options: {
  readonly node: Pick<NodeDeps, 'keeper' | 'isolation'>;
  readonly prepared: PreparedContainer;
  readonly run: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
}): Promise<ProbeResult> {
  const { node, prepared, run, command, timeoutMs } = options;
  let output = '';
  const process = node.keeper.start({
    ...prepared,
    command,
    launcher: node.isolation.launcher,
    run,
    exec: randomUUID(),
    onOutput: (_stream, chunk) => {
      output = (output + chunk.toString()).slice(-maxOutput);
    },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    process.kill();
  }, timeoutMs);
  const { exitCode } = await process.exit;
  clearTimeout(timer);
  if (isLate) return { ok: false, message: `command timed out after ${timeoutMs / 1000}s` };
  return exitCode === 0 ? { ok: true } : { ok: false, message: output.trim() || `command ended with ${exitCode}` };
}
