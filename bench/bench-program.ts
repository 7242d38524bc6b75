import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { toError } from '@chandlery/api';
import { cacheFolder } from './kernel/disk.ts';

/** How sections of one form are printed. */
export interface SectionReport<Section> {
  formatSection(section: Section): string;
  /** Lines about all aims. */
  verdicts(sections: readonly Section[]): readonly string[];
}

/** What a bench does with a section as soon as it is measured. */
export interface BenchOutput<Section> {
  /** Says what is being measured, on standard error. */
  readonly say: (text: string) => void;
  readonly add: (...sections: readonly Section[]) => void;
}

export interface BenchOptions<Section> {
  /** Names the file of the numbers, in `.cache/bench`. */
  readonly name: string;
  /** The numbers of a quick run mean nothing. */
  readonly isQuick: boolean;
  readonly report: SectionReport<Section>;
  /** Lines for the end: what a reader must know to not be misled. Default: none. */
  readonly remarks?: readonly string[];
}

/** Measures: prints each section at once, then the verdicts, and writes the numbers to a file. */
export async function runBench<Section>(
  { name, isQuick, report, remarks = [] }: BenchOptions<Section>,
  measure: (output: BenchOutput<Section>) => Promise<void>,
): Promise<void> {
  const sections: Section[] = [];
  await measure({
    say: text => console.error(`  … ${text}`),
    add: (...measured) => {
      sections.push(...measured);
      for (const section of measured) console.log(report.formatSection(section));
    },
  });
  console.log(['Aims', ...report.verdicts(sections).map(line => `  ${line}`), ''].join('\n'));
  if (remarks.length > 0) console.log(`${remarks.join('\n')}\n`);
  await writeNumbers({ name, isQuick }, { sections });
}

/** Writes the numbers of a bench with the machine that they come from, and says where they are. */
export async function writeNumbers(
  { name, isQuick }: Pick<BenchOptions<never>, 'name' | 'isQuick'>,
  numbers: object,
): Promise<void> {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memory: totalmem(), kernel: release() };
  const result = { at: new Date().toISOString(), node: process.version, machine, ...numbers };
  const path = join(cacheFolder, 'bench', `${name}${isQuick ? '-quick' : ''}.json`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`);
  if (isQuick) console.log('This was a quick run: it shows that everything works, its numbers mean nothing.');
  console.log(`The numbers are in ${path}.`);
}

/** Runs a bench as a program. Its child processes end with it, also when a signal does: that skips the exit handlers. */
export async function benchProgram(run: () => Promise<void>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  try {
    await run();
  } catch (thrown) {
    const { message, hint } = toError(thrown);
    console.error(`bench: ${message}${hint === undefined ? '' : `\n${hint}`}`);
    process.exitCode = 1;
  }
}
