import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killFamily, sendSignal, startTimeOf } from './machine-processes.ts';

const pidFile = (containerFolder: string): string => join(containerFolder, 'pid');

/** Stores a container's pid for the next node process. */
export const writePidFile = (containerFolder: string, pid: number): void =>
  writeFileSync(pidFile(containerFolder), `${pid} ${startTimeOf(pid) ?? ''}\n`);

export const removePidFile = (containerFolder: string): void => rmSync(pidFile(containerFolder), { force: true });

/** Kills what an earlier node process left running: by its pid files, and by the variable that its processes carry. */
export function killLeftovers(podsFolder: string, variable: string): void {
  for (const file of globSync(join(podsFolder, '*', '*', 'pid'))) {
    const [pid = '', ...startTime] = readFileSync(file, 'utf8').trim().split(' ');
    // Another process may have the pid by now; the start time shows it.
    if (startTime.join(' ') !== '' && startTimeOf(Number(pid)) === startTime.join(' ')) {
      sendSignal(-Number(pid), 'SIGKILL');
    }
    rmSync(file, { force: true });
  }
  // Each round finds processes that were started during the previous one.
  for (let round = 0; round < 3 && killFamily({ variable }) > 0; round++);
}
