import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a process started and has not ended, but for the watchdog of its node. */
export async function processesOf(pid: number): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,args=']);
  const children = stdout.split('\n').filter(line => line.trim().startsWith(`${pid} `));
  return children.filter(line => !line.includes('chandlery-watchdog') && !/ ps -A/.test(line));
}
