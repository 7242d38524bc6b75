import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { killFamily, sendSignal, startTimeOf } from './machine-processes.ts';

const pidFile = (containerFolder: string): string => join(containerFolder, 'pid');

/** Remembers a container's process for the next life of the node. */
export const writePidFile = (containerFolder: string, pid: number): void =>
  writeFileSync(pidFile(containerFolder), `${pid} ${startTimeOf(pid) ?? ''}\n`);

export const removePidFile = (containerFolder: string): void => rmSync(pidFile(containerFolder), { force: true });

/** Kills what an earlier life of the node left running: by its pid files, and by the variable that its processes carry. */
export function killLeftovers(podsFolder: string, variable: string): void {
  for (const file of globSync(join(podsFolder, '*', '*', 'pid'))) {
    const [pid = '', ...startTime] = readFileSync(file, 'utf8').trim().split(' ');
    // The number may be somebody else's by now; the moment of birth tells.
    if (startTime.join(' ') !== '' && startTimeOf(Number(pid)) === startTime.join(' ')) {
      sendSignal(-Number(pid), 'SIGKILL');
    }
    rmSync(file, { force: true });
  }
  // Each round finds what was born during the last one.
  for (let round = 0; round < 3 && killFamily({ variable }) > 0; round++);
}
