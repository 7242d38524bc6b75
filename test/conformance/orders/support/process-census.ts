import { globSync, readFileSync } from 'node:fs';

/** Returns the command lines of all processes of the machine that contain `text`, by their pids. */
export function findProcesses(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const file of globSync('/proc/[0-9]*/cmdline')) {
    const line = readCommandLine(file);
    if (line.includes(text)) found.set(Number(file.split('/')[2]), line.slice(0, 200));
  }
  return found;
}

function readCommandLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // Ended meanwhile.
  }
}
