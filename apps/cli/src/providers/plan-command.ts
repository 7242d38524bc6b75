import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { formatYaml, type HttpClient, readKubeconfig } from '@chandlery/client';
import { type HostImage, hostImages } from '@chandlery/clusters/kinds';
import { type Provider, serviceProviders } from '@chandlery/providers/kinds';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { connect, kubeconfigPathOf } from '../landscape/connect.ts';
import { kubeconfigFor } from '../landscape/kubeconfig-command.ts';

export const planCommand: Command = {
  name: 'plan',
  summary: 'Show what a provider would change for an object, and change nothing',
  usage: 'KIND/NAME [flags]',
  examples: ['chandlery plan postgresdatabase/shop -n default', 'chandlery plan postgresdatabase/shop -f shop.yaml'],
  arguments: { required: ['KIND/NAME'] },
  options: {
    namespace: { type: 'text', short: 'n', valueName: 'NAME', about: 'The namespace. Default: default.' },
    file: { type: 'text', short: 'f', valueName: 'FILE', about: 'Plan for this object instead of the stored one.' },
  },
  notes: ['The provider itself is asked, by its program on this machine (see its HostImage).'],
  goal: ([wanted]) => `plan ${wanted ?? ''}`,
  async run(context) {
    const [kind = '', name = ''] = (context.args[0] ?? '').split('/');
    if (kind === '' || name === '')
      throw usageError('UnexpectedArgument', 'say it as KIND/NAME: postgresdatabase/shop');
    await using client = connect(context);
    const provider = await providerOf(client, kind);
    const program = await programOf(client, provider, context.cwd);
    const file = context.flags.text('file');
    const object = `${context.flags.text('namespace') ?? 'default'}/${name}`;
    return await ask(context, program, [
      'plan',
      `--provider-name=${provider.metadata.name}`,
      ...(file === undefined ? ['--object', object] : ['-f', resolve(context.cwd, file)]),
    ]);
  },
};

async function providerOf(client: HttpClient, kind: string): Promise<Provider> {
  const wanted = kind.toLowerCase();
  const isMeant = (offered: string): boolean => [offered, `${offered}s`].includes(wanted);
  for await (const provider of client.listAll<Provider>(serviceProviders.ref)) {
    const kinds = (provider.status?.resources ?? []).map(resource => resource.kind.toLowerCase());
    if (kinds.some(isMeant)) return provider;
  }
  throw new ChandleryError('NotFound', `no provider offers the kind "${kind}"`, {
    hint: 'See what they offer with "npx chandlery provider list".',
  });
}

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

/** Runs the provider's program with the administrator's rights on the platform cluster. */
async function ask(context: CommandContext, { command, folder }: Program, args: readonly string[]): Promise<number> {
  const path = kubeconfigPathOf(context);
  const secret = mkdtempSync(join(tmpdir(), 'chandlery-plan-'));
  try {
    const kubeconfig = join(secret, 'kubeconfig');
    writeFileSync(kubeconfig, formatYaml(kubeconfigFor(readKubeconfig(path).file, 'platform')), { mode: 0o600 });
    const [first = '', ...rest] = command.map(part => (part.startsWith('./') ? join(folder, part) : part));
    const program = first === 'node' ? process.execPath : first;
    const child = spawn(program, [...rest, ...args], { cwd: folder, env: { ...process.env, KUBECONFIG: kubeconfig } });
    let complaints = '';
    child.stdout.on('data', text => context.stdout.write(String(text)));
    child.stderr.on('data', text => void (complaints += String(text)));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw planFailed(complaints);
    context.stderr.write(complaints);
    return 0;
  } finally {
    rmSync(secret, { recursive: true, force: true });
  }
}

/** Programs end with a sentence that begins with `Error:`, after their log; the log is kept when there is no sentence. */
export function planFailed(complaints: string): ChandleryError {
  const [, sentence] = /^Error: (.+)$/m.exec(complaints) ?? [];
  const why = sentence?.replace(/\.$/, '') ?? (complaints.trim() || "the provider's program ended without a word");
  return new ChandleryError('PlanFailed', why, {
    hint: 'Check the name and the namespace (-n); "npx chandlery provider describe NAME" lists the objects of a provider.',
  });
}
