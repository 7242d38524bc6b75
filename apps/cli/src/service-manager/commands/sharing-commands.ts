import { usageError } from '../../args/usage-error.ts';
import type { Command } from '../../command.ts';
import { confirm } from '../../output/confirm.ts';
import { resultFormats } from '../../output/print-object.ts';
import { findOne } from '../find-one.ts';
import { platformIdOf } from '../find-platform.ts';
import { commonFlags, confirmFlag, idFlag, modeFlags } from '../flags.ts';
import { printOne } from '../print.ts';
import { quoted } from '../queries.ts';
import { sendChange } from '../send-change.ts';
import { connectSm } from '../sm-client.ts';
import { pathOf, smKinds } from '../sm-kinds.ts';
import { instanceRight } from '../sm-rights.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';

const kind = smKinds.instances;
const mode = 'async';
const group = groups.instances;
const values = { NAME: { type: 'service-manager', path: kind.path } } as const;
const ownPlatform = 'service-manager';

const transferInstance: Command = {
  name: 'instance transfer',
  aliases: ['transfer-instance'],
  group,
  summary: 'Move a service instance of a platform to the service manager',
  usage: 'NAME --from PLATFORM [flags]',
  examples: ['chandlery instance transfer shop --from eu-1 --to service-manager --wait'],
  arguments: { required: ['NAME'] },
  values,
  formats: resultFormats,
  options: {
    from: { type: 'text', valueName: 'PLATFORM', about: 'Where it belongs now: the id or name of a platform.' },
    to: { type: 'text', valueName: 'PLATFORM', about: `Where it will belong. Default: ${ownPlatform}.` },
    ...confirmFlag,
    ...idFlag,
    ...modeFlags(mode),
    ...commonFlags,
  },
  goal: ([name]) => `transfer the service instance "${name}"`,
  async run(context) {
    const { args, flags } = context;
    const from = flags.text('from');
    if (from === undefined) throw usageError('MissingArgument', '--from is missing');
    await using sm = connectSm(context);
    const [source, target] = [await platformIdOf(sm, from), await platformIdOf(sm, flags.text('to') ?? ownPlatform)];
    const [name = ''] = args;
    const conditions = [`platform_id eq ${quoted(source)}`];
    const { id } = await findOne(sm, kind, { name, id: flags.text('id'), conditions });
    await confirm(context, `Transfer the service instance "${name}" (${id}) from platform ${source} to ${target}?`);
    const change = { path: pathOf(kind, id), body: { platform_id: target }, what: `transfer of "${name}"` };
    const done = await sendChange(context, sm, { method: 'PATCH', mode, ...change });
    if (done?.object !== undefined) await printOne(context, sm, { kind, object: done.object });
    return 0;
  },
};

const shareInstance = sharing({
  name: 'instance share',
  aliases: ['share-instance'],
  summary: 'Let others refer to a service instance',
  shared: true,
});

const unshareInstance = sharing({
  name: 'instance unshare',
  aliases: ['unshare-instance'],
  summary: 'Stop sharing a service instance',
  shared: false,
});

interface Sharing {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly shared: boolean;
}

function sharing({ name, aliases, summary, shared }: Sharing): Command {
  return {
    name,
    aliases,
    group,
    summary,
    usage: 'NAME [flags]',
    examples: [`chandlery ${name} shop`],
    arguments: { required: ['NAME'] },
    values,
    formats: resultFormats,
    options: { ...idFlag, ...commonFlags },
    rights: [instanceRight('list'), instanceRight('update')],
    goal: ([instance]) => `${shared ? 'share' : 'unshare'} the service instance "${instance}"`,
    async run(context) {
      await using sm = connectSm(context);
      const wanted = { name: context.args[0] ?? '', id: context.flags.text('id') };
      const { id } = await findOne(sm, kind, wanted);
      const response = await sm.send(pathOf(kind, id), { method: 'PATCH', body: { shared } });
      await printOne(context, sm, { kind, object: response.body as SmObject });
      return 0;
    },
  };
}

/** Commands that change who has or may use an instance. */
export const sharingCommands: readonly Command[] = [transferInstance, shareInstance, unshareInstance];
