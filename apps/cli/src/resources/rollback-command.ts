import { authored, ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command } from '../command.ts';
import { documentChanges, formatChanges } from '../fleet/document-changes.ts';
import { printOne } from '../output/print-results.ts';
import { dryRunFlag } from './dry-run.ts';
import { fieldManager } from './place-of-object.ts';
import { oneTarget, readRevision } from './revisions.ts';
import { labelOf, openScope, type Scope, scopeFlags, type Target, withoutManagedFields } from './scope.ts';

const rollbackFormats = ['table', 'json', 'yaml', 'name', 'jsonl'] as const;

export const rollbackCommand: Command = {
  name: 'rollback',
  summary: 'Give an object the content of an earlier revision',
  group: 'Objects of any kind',
  usage: 'KIND NAME | KIND/NAME --to R [flags]',
  examples: ['chandlery rollback configmap/settings --to 4711 --dry-run', 'chandlery rollback project acme --to 4711'],
  arguments: { required: ['KIND'], hasMore: true },
  formats: rollbackFormats,
  options: {
    ...scopeFlags,
    to: { type: 'text', valueName: 'R', about: 'The revision: "chandlery history" lists those that are kept.' },
    ...dryRunFlag,
  },
  notes: [
    'The object gets what the revision had besides its status, as a new revision. A deleted object is created again.',
    'When another client changes the object at the same time, nothing is written.',
  ],
  goal: ([first]) => `roll back ${first ?? 'the object'}`,
  async run(context) {
    const format = formatOf(context.flags, rollbackFormats);
    const revision = context.flags.text('to');
    if (revision === undefined)
      throw usageError('MissingArgument', '--to R is missing', 'See the revisions with "chandlery history".');
    await using scope = await openScope(context);
    const { target } = oneTarget(context.args, scope);
    const isDryRun = context.flags.isOn('dry-run');
    const { before, after } = await rollBack(scope, target, { revision, isDryRun });
    const label = labelOf(target.kind, target.ref.name);
    const changes = documentChanges(before === undefined ? {} : { ...authored(before) }, { ...authored(after) });
    const verb = before === undefined ? 'created again' : changes.length === 0 ? 'unchanged' : 'rolled back';
    const render = (): string => `${label} ${verb}${isDryRun ? ' (dry run)' : ''}\n${formatChanges(changes)}`;
    printOne(context, { object: withoutManagedFields(after), format, render, name: () => label });
    return 0;
  },
};

interface Rollback {
  readonly revision: string;
  readonly isDryRun: boolean;
}

interface RolledBack {
  /** Undefined: the object had been deleted. */
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
}

/** Replaces the present version, and no later one: what others change meanwhile stays. */
async function rollBack(
  { client }: Scope,
  { kind, ref }: Target,
  { revision, isDryRun }: Rollback,
): Promise<RolledBack> {
  const wanted = authored(await readRevision(client, ref, revision));
  const before = await client.get(ref).catch((thrown: unknown) => {
    if (isError(thrown, 'NotFound')) return undefined;
    throw thrown;
  });
  const options = { fieldManager, isDryRun };
  if (before === undefined) return { before, after: await client.create(collectionOf(ref), wanted, options) };
  const { resourceVersion = '', uid = '' } = before.metadata;
  const replacement = { ...wanted, metadata: { ...wanted.metadata, resourceVersion, uid } };
  try {
    return { before, after: await client.update(ref, replacement, options) };
  } catch (thrown) {
    if (!isError(thrown, 'Conflict')) throw thrown;
    throw new ChandleryError('Conflict', `${labelOf(kind, ref.name)} was changed by another client meanwhile`, {
      cause: thrown,
      hint: 'Look at what was changed with "chandlery history", then run the same command again.',
    });
  }
}

function collectionOf({ name: _, ...collection }: Target['ref']): ResourceRef {
  return collection;
}
