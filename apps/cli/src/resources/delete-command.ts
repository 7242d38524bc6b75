import { ChandleryError } from '@chandlery/api';
import { secondsOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { askForName } from '../output/confirm.ts';
import { kindOfObject } from './discover.ts';
import { readObjects } from './read-documents.ts';
import { collectionIn, labelOf, openScope, type Scope, scopeFlags, type Target, targetsOf } from './scope.ts';
import { untilDeleted } from './until.ts';

export const deleteCommand: Command = {
  name: 'delete',
  summary: 'Delete objects of any kind',
  group: 'Objects of any kind',
  usage: 'KIND NAME… | KIND/NAME… | -f FILE [flags]',
  examples: [
    'chandlery delete postgresdatabase/shop -n default',
    'chandlery delete configmap a b --yes',
    'chandlery delete -f shop.yaml --wait=false',
  ],
  arguments: { hasMore: true },
  options: {
    filename: {
      type: 'text',
      short: 'f',
      valueName: 'FILE',
      isMultiple: true,
      about: 'Delete the objects in a file, a folder, or - for standard input.',
    },
    ...scopeFlags,
    yes: { type: 'switch', short: 'y', about: 'Do not ask. Default: on a terminal, ask for the name.' },
    wait: { type: 'switch', about: 'Wait until they are deleted. Default: true.' },
    timeout: { type: 'text', valueName: 'SECONDS', about: 'How long to wait. Default: 300.' },
    'dry-run': { type: 'switch', about: 'Let the server check it and delete nothing.' },
  },
  goal: ([first]) => `delete ${first ?? 'the objects'}`,
  async run(context) {
    const timeoutMs = secondsOf(context.flags, 'timeout', 300);
    await using scope = await openScope(context);
    const targets = await targetsIn(context, scope);
    const isDryRun = context.flags.isOn('dry-run');
    if (!isDryRun) await askFirst(context, targets);
    for (const target of targets) await deleteOne(context, scope, { ...target, timeoutMs, isDryRun });
    return 0;
  },
};

async function targetsIn(context: CommandContext, scope: Scope): Promise<Target[]> {
  const hasFiles = context.flags.texts('filename').length > 0;
  if (hasFiles && context.args.length > 0)
    throw usageError('UnexpectedArgument', 'name objects either by KIND/NAME or by -f');
  if (!hasFiles) return targetsOf(context.args, scope);
  const objects = await readObjects(context);
  return objects.map(object => {
    const kind = kindOfObject(object, scope.kinds);
    const { namespace, name = '' } = object.metadata;
    const isElsewhere = kind.isNamespaced && namespace !== undefined;
    return { kind, ref: { ...collectionIn(scope, kind), ...(isElsewhere ? { namespace } : {}), name } };
  });
}

/** One object is confirmed by typing its name; several by a yes. A script has named what it deletes, and is not asked. */
async function askFirst(context: CommandContext, targets: readonly Target[]): Promise<void> {
  if (context.isInteractive !== true || context.flags.isOn('yes')) return;
  const labels = targets.map(({ kind, ref }) => labelOf(kind, ref.name));
  const [first] = targets;
  const expected = targets.length === 1 ? (first?.ref.name ?? '') : 'yes';
  await askForName(context, `Delete ${labels.join(', ')}? Type "${expected}" to confirm:`, expected);
}

interface Deletion extends Target {
  readonly timeoutMs: number;
  readonly isDryRun: boolean;
}

async function deleteOne(
  { flags, stdout }: CommandContext,
  { client }: Scope,
  { kind, ref, timeoutMs, isDryRun }: Deletion,
): Promise<void> {
  const label = labelOf(kind, ref.name);
  const deleted = await client.delete(ref, { isDryRun });
  if (isDryRun) stdout.write(`${label} deleted (dry run)\n`);
  else if (!flags.isOn('wait', true)) stdout.write(`${label} is being deleted\n`);
  else {
    // While finalizers keep the object, the response is the object; otherwise it is a Status: the object is deleted.
    if (deleted.kind !== 'Status')
      await untilDeleted(client, ref, { uid: deleted.metadata.uid, timeoutMs }, stillThere);
    stdout.write(`${label} deleted\n`);
  }
}

const stillThere = (seconds: number, finalizers: readonly string[]): Error =>
  new ChandleryError(
    'Timeout',
    `it is still there after ${seconds} s${finalizers.length === 0 ? '' : `; finalizers: ${finalizers.join(', ')}`}`,
    {
      hint: 'Deletion continues. "npx chandlery describe KIND/NAME" shows conditions and events that say what blocks it.',
    },
  );
