import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ChandleryError, toError } from '@chandlery/api';
import { type ConsoleFiles, readConsoleFiles } from './console-files.ts';

/** The state of the console: its files, or why there are none yet. */
export type ConsoleState =
  | { readonly type: 'ready'; readonly files: ConsoleFiles }
  | { readonly type: 'building' }
  | { readonly type: 'failed'; readonly error: Error };

const consoleFolder = fileURLToPath(new URL('../../../console', import.meta.url));
/** A build that takes longer is stuck: it usually takes a second. */
const buildTimeoutMs = 120_000;

/** The built console. A release has it; a clone builds it when it is first asked for, in a process of its own. */
export class ConsoleBuild {
  readonly #folder: string;
  #state: ConsoleState | undefined;

  /** `folder`: that of the console. Default: beside this program. */
  constructor(folder: string = consoleFolder) {
    this.#folder = folder;
  }

  /** The state now. The first call, and the first after a failure that was reported, starts the build. */
  state(): ConsoleState {
    const known = this.#state;
    if (known?.type === 'failed') this.#state = undefined;
    if (known !== undefined) return known;
    const builder = join(this.#folder, 'build/main.ts');
    if (existsSync(builder)) void this.#build(builder);
    else this.#read();
    return this.#state ?? { type: 'building' };
  }

  async #build(builder: string): Promise<void> {
    this.#state = { type: 'building' };
    try {
      await promisify(execFile)(process.execPath, [builder], { timeout: buildTimeoutMs });
      this.#read();
    } catch (thrown) {
      const { stderr } = thrown as { stderr?: string };
      this.#state = { type: 'failed', error: buildFailed(stderr || toError(thrown).message) };
    }
  }

  #read(): void {
    try {
      this.#state = { type: 'ready', files: readConsoleFiles(join(this.#folder, 'dist')) };
    } catch (thrown) {
      this.#state = { type: 'failed', error: toError(thrown) };
    }
  }
}

const buildFailed = (why: string): ChandleryError =>
  new ChandleryError('ConsoleNotBuilt', `the console cannot be built: ${why.trim().slice(0, 2000)}`, {
    hint: 'Run "npm start" once in the clone, which installs what the build needs, and reload this page.',
  });
