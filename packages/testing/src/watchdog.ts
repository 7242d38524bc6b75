import { spawn } from 'node:child_process';

/** Ends a process group by force; one that has ended already is no error. */
export function killGroup(groupId: number): void {
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // ESRCH: no process is left in it.
  }
}

/**
 * Makes sure that a process group does not outlive this process, even when this process is killed with SIGKILL.
 *
 * A tiny shell waits on a pipe whose other end only we hold. The kernel closes our end whichever way we end; the shell
 * then ends the group. Dispose it once the group has ended, before its id can be given to someone else.
 */
export function watchGroup(groupId: number): Disposable {
  const script = 'read -r _; kill -9 "-$1" 2>/dev/null';
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', String(groupId)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Neither the shell nor the pipe may keep a finished test process alive.
  shell.unref();
  shell.stdin.on('error', () => {});
  (shell.stdin as unknown as { unref(): void }).unref();
  return { [Symbol.dispose]: () => void shell.kill('SIGKILL') };
}
