import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own clock does. */
const ticksPerSecond = 100;

/** Seconds of CPU that a process and its threads have used so far. */
export async function cpuSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The command may hold spaces and brackets; the numbers begin after the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Bytes of memory that a process keeps in RAM. */
export async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) * 1024;
}

/** Seconds of CPU that this process has used so far. */
export const ownCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
