import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ChandleryError, firstErrorIn, type KubeObject } from '@chandlery/api';
import { formatYaml, type HttpClient, readKubeconfig } from '@chandlery/client';
import { type HostImage, hostImages } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { formatOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect, contextConnectionOf, kubeconfigPathOf } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { kubeconfigFor } from '../landscape/kubeconfig-command.ts';
import { formatValue } from '../output/print-object.ts';
import { discoverKinds, findKind, type ServedKind } from '../resources/discover.ts';
import { pairOf } from '../resources/scope.ts';
import { readDocuments } from './installation/installation.ts';

export const planCommand: Command = {
  name: 'plan',
  summary: 'Show what a provider would change for an object, and change nothing',
  usage: 'KIND/NAME | -f FILE [flags]',
  examples: ['chandlery plan postgresdatabase/shop -n default', 'chandlery plan -f shop.yaml'],
  arguments: { optional: ['KIND/NAME'] },
  options: {
    namespace: { type: 'text', short: 'n', valueName: 'NAME', about: "The namespace. Default: the context's." },
    file: {
      type: 'text',
      short: 'f',
      valueName: 'FILE',
      about: 'Plan for the object in this file, as if it were stored.',
    },
  },
  notes: ['The provider itself is asked, by its program on this machine (see its HostImage).'],
  goal: ([wanted]) => `plan ${wanted ?? 'the object'}`,
  async run(context) {
    const format = formatOf(context.flags);
    await using client = connect(context);
    const { provider, namespace, name, object } = await findWanted(context, client);
    const program = await programOf(client, provider, context.cwd);
    const args = ['plan', `--provider-name=${provider.metadata.name}`];
    const output = format === 'table' ? [] : ['--output=json'];
    const text = await ask(context, program, { args: [...args, ...output], key: `${namespace}/${name}`, object });
    context.stdout.write(format === 'table' ? text : formatValue(JSON.parse(text), format));
    return 0;
  },
};

/** The object that is planned, and who provides its kind. */
interface Wanted {
  readonly provider: Provider;
  readonly namespace: string;
  readonly name: string;
  /** The future object. Default: the stored one. */
  readonly object?: KubeObject;
}

async function findWanted(context: CommandContext, client: HttpClient): Promise<Wanted> {
  const { args, flags } = context;
  const file = flags.text('file');
  const namespace = flags.text('namespace') ?? contextConnectionOf(context).namespace ?? 'default';
  if (args[0] === undefined && file === undefined)
    throw usageError('MissingArgument', 'name the object by KIND/NAME, or its file by -f');
  const [word, name] = args[0] === undefined ? [] : pairOf(args[0]);
  await using onboarding = connectTo(context, 'onboarding');
  const kinds = await discoverKinds(onboarding);
  const providers = await Array.fromAsync(client.listAll<Provider>(serviceProviders.ref));
  if (file === undefined) {
    const kind = kindNamed(word ?? '', kinds);
    return { provider: providerOf(providers, kind), namespace, name: name ?? '' };
  }
  const objects = readDocuments(resolve(context.cwd, file), 'NoObjects');
  const isMeant = ({ kind, metadata }: KubeObject): boolean =>
    word === undefined
      ? providers.some(provider => offers(provider, kind.toLowerCase()))
      : kind.toLowerCase() === kindNamed(word, kinds) && metadata.name === name;
  const object = objects.find(isMeant);
  if (object === undefined) throw notInFile(file, args[0]);
  const at = { ...object.metadata, namespace: object.metadata.namespace ?? namespace };
  const provider = providerOf(providers, object.kind.toLowerCase());
  return { provider, namespace: at.namespace, name: at.name ?? '', object: { ...object, metadata: at } };
}

/** The kind in lower case that a word means, which may be a plural or a short name. */
function kindNamed(word: string, kinds: readonly ServedKind[]): string {
  try {
    return findKind(word, kinds).kind.toLowerCase();
  } catch {
    return word.toLowerCase();
  }
}

const offers = ({ status }: Provider, kind: string): boolean =>
  (status?.resources ?? []).some(resource => resource.kind.toLowerCase() === kind);

function providerOf(providers: readonly Provider[], kind: string): Provider {
  const found = providers.find(provider => offers(provider, kind));
  if (found !== undefined) return found;
  throw new ChandleryError('NotFound', `no provider offers the kind "${kind}"`, {
    hint: 'See what they offer with "npx chandlery provider list".',
  });
}

const notInFile = (file: string, wanted: string | undefined): ChandleryError =>
  new ChandleryError('NoObjects', `there is no ${wanted ?? 'object that a provider offers'} in ${file}`, {
    hint: 'Each document needs apiVersion, kind and metadata.name; "npx chandlery provider list" shows the kinds.',
  });

interface Program {
  readonly command: readonly string[];
  readonly folder: string;
}

async function programOf(client: HttpClient, { spec }: Provider, cwd: string): Promise<Program> {
  const images = await Array.fromAsync(client.listAll<HostImage>(hostImages.ref));
  const found = images.find(({ spec: { image } }) => image === spec.image || spec.image.startsWith(`${image}:`));
  if (found === undefined) {
    throw new ChandleryError('NotFound', `nothing on this machine stands for the image "${spec.image}"`, {
      hint: 'Make a HostImage for it, or run "<program of the provider> plan" where the program is.',
    });
  }
  return { command: found.spec.command, folder: resolve(cwd, found.spec.folder ?? '.') };
}

interface Question {
  readonly args: readonly string[];
  /** `namespace/name` of the stored object. */
  readonly key: string;
  readonly object: KubeObject | undefined;
}

/** Runs the provider's program with the administrator's rights on the platform cluster; returns what it prints. */
async function ask(
  context: CommandContext,
  { command, folder }: Program,
  { args, key, object }: Question,
): Promise<string> {
  const path = kubeconfigPathOf(context);
  const secret = mkdtempSync(join(tmpdir(), 'chandlery-plan-'));
  try {
    const kubeconfig = join(secret, 'kubeconfig');
    writeFileSync(kubeconfig, formatYaml(kubeconfigFor(readKubeconfig(path).file, 'platform')), { mode: 0o600 });
    const future = join(secret, 'object.json');
    if (object !== undefined) writeFileSync(future, JSON.stringify(object), { mode: 0o600 });
    const what = object === undefined ? `--object=${key}` : `--file=${future}`;
    const [first = '', ...rest] = command.map(part => (part.startsWith('./') ? join(folder, part) : part));
    const program = first === 'node' ? process.execPath : first;
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const child = spawn(program, [...rest, ...args, what], { cwd: folder, env });
    let [answer, complaints] = ['', ''];
    child.stdout.on('data', text => void (answer += String(text)));
    child.stderr.on('data', text => void (complaints += String(text)));
    const [code] = (await once(child, 'close')) as [number | null];
    context.stderr.write(code === 0 ? complaints : stackIn(complaints));
    if (code !== 0) throw planFailed(complaints);
    return answer;
  } finally {
    rmSync(secret, { recursive: true, force: true });
  }
}

/**
 * What a program that failed has printed: its log, perhaps the stack of a programming error, and a sentence that begins
 * with `Error:`. The log is the reason when no error is found in it.
 */
export function planFailed(complaints: string): ChandleryError {
  const why = firstErrorIn(complaints)?.replace(/\.$/, '') ?? complaints.trim();
  const isFault = stackIn(complaints) !== '';
  return new ChandleryError('PlanFailed', why || "the provider's program ended without a word", {
    hint: isFault
      ? 'The provider has a programming error there: mend it, or report it to the author of the provider.'
      : 'Correct the object, or check the name and the namespace (-n); "npx chandlery provider describe NAME" lists the objects of a provider.',
  });
}

/** The stack that a program has printed, with the line above it; empty without one. */
const stackIn = (text: string): string => /^.*\n(?:[ ]+at .+\n?)+/m.exec(text)?.[0] ?? '';
