import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import {
  readValidationFile,
  renderStep,
  renderSummary,
  type ValidationFile,
  validateProvider,
} from '@chandlery/sdk/validate';
import { formatOf, secondsOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { formatValue } from '../output/print-object.ts';
import { locateHostImages, readDocuments } from './installation/installation.ts';

export const providerValidateCommand: Command = {
  name: 'provider validate',
  summary: 'Try a provider on the running landscape, from installing it to leaving it',
  usage: 'NAME [flags]',
  examples: [
    'chandlery provider validate ice-cream -f ice-cream/validation.yaml',
    'chandlery provider validate ice-cream -o json',
  ],
  arguments: { required: ['NAME'] },
  options: {
    file: {
      type: 'text',
      short: 'f',
      valueName: 'FILE',
      about: 'What to try. Default: validation.yaml in a folder with its name, here, or in examples/providers.',
    },
    timeout: { type: 'text', valueName: 'TIME', about: 'How long the whole may take. Default: 900s.' },
  },
  notes: [
    'Beside the file there are install.yaml (what installs the provider) and config.yaml (its ProviderConfig).',
    'The exit code is 0 when every row passed, otherwise 1.',
  ],
  goal: ([name]) => `validate the provider "${name}"`,
  async run(context) {
    const format = formatOf(context.flags);
    const file = loadFile(context);
    const signal = AbortSignal.timeout(secondsOf(context.flags, 'timeout', 900));
    await using platform = connect(context);
    await using onboarding = connectTo(context, 'onboarding');
    const progress = progressLine(context);
    using interruption = onInterrupt(context, file.provider);
    const report = await validateProvider({
      file,
      platform,
      onboarding,
      signal,
      onStart: project => interruption.started(project),
      onProgress: text => progress.show(text),
      onStep: result => {
        progress.clear();
        if (format === 'table') context.stdout.write(`${renderStep(result)}\n`);
      },
    });
    context.stdout.write(format === 'table' ? `\n${renderSummary(report)}\n` : formatValue(report, format));
    return report.isPassed ? 0 : 1;
  },
};

/** Ends the process on Ctrl-C, and says what the run leaves behind: taking it away may take minutes. */
function onInterrupt({ stderr }: CommandContext, provider: string): Disposable & { started(project: string): void } {
  let project: string | undefined;
  const interrupt = (): void => {
    const left = [
      '',
      'Interrupted. What the validation has installed is still there:',
      ...(project === undefined ? [] : [`  kubectl --context onboarding delete project ${project}`]),
      `  kubectl --context platform delete serviceprovider ${provider}    # unless it was there before`,
      'These commands remove it.',
      '',
    ];
    stderr.write(left.join('\n'));
    process.exit(interruptedExitCode);
  };
  process.once('SIGINT', interrupt);
  return {
    started: name => {
      project = name;
    },
    [Symbol.dispose]: () => void process.off('SIGINT', interrupt),
  };
}

const interruptedExitCode = 130;

/** What is being waited for, on one line of a terminal that is written over again and again. */
function progressLine({ stderr }: CommandContext): { show(text: string): void; clear(): void } {
  if (stderr.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  return {
    show: text => void stderr.write(`\r\u001b[2K  ${text} …`),
    clear: () => void stderr.write('\r\u001b[2K'),
  };
}

function loadFile({ args, flags, cwd }: CommandContext): ValidationFile {
  const name = args[0] ?? '';
  const given = flags.text('file');
  const path = given === undefined ? findFile(cwd, name) : resolve(cwd, given);
  const folder = dirname(path);
  const [content] = documentsOf(path);
  const extra = {
    install: locateHostImages(documentsOf(join(folder, 'install.yaml')), folder),
    config: documentsOf(join(folder, 'config.yaml'))[0],
  };
  const file = readValidationFile({ ...extra, ...content }, path);
  if (file.provider === name) return file;
  throw new ChandleryError('ValidationFileInvalid', `${path} is about the provider "${file.provider}", not "${name}"`);
}

function findFile(cwd: string, name: string): string {
  const folders = [name, '.', join('providers', name), join('examples/providers', name)];
  const places = folders.map(folder => join(cwd, folder, 'validation.yaml'));
  const found = places.find(path => existsSync(path));
  if (found !== undefined) return found;
  throw new ChandleryError('ValidationFileInvalid', `there is neither ${places.join(' nor ')}`, {
    hint: 'Name the file with -f.',
  });
}

const documentsOf = (path: string): readonly KubeObject[] => readDocuments(path, 'ValidationFileInvalid');
