import { authored, formatAge, type RevisionEntry } from '@chandlery/api';
import { formatOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { documentChanges, formatChanges } from '../fleet/document-changes.ts';
import { resultFormats } from '../output/print-object.ts';
import { type Listed, printList } from '../output/print-results.ts';
import { oneTarget, readRevision, readRevisions } from './revisions.ts';
import { openScope, type Scope, scopeFlags, type Target } from './scope.ts';

export const historyCommand: Command = {
  name: 'history',
  summary: 'List the revisions of an object, or compare two of them',
  group: 'Objects of any kind',
  usage: 'KIND NAME | KIND/NAME [--diff R1 [R2]] [flags]',
  examples: [
    'chandlery history project/acme',
    'chandlery history configmap settings -n default --diff 4711',
    'chandlery history configmap/settings --diff 4711 4805',
  ],
  arguments: { required: ['KIND'], hasMore: true },
  formats: resultFormats,
  options: {
    ...scopeFlags,
    diff: { type: 'switch', about: 'Compare revision R1 with R2, or with the present.' },
  },
  notes: [
    'Superseded revisions are kept for days, those of Secrets and Events are not. A deleted object has its history too.',
  ],
  goal: ([first]) => `read the history of ${first ?? 'the object'}`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using scope = await openScope(context);
    const { target, rest } = oneTarget(context.args, scope);
    if (context.flags.isOn('diff')) return await compare(context, scope, target, rest);
    if (rest.length > 0)
      throw usageError('UnexpectedArgument', `"${rest[0]}" is one too many: compare revisions with --diff`);
    const items = await Array.fromAsync(readRevisions(scope.client, target.ref));
    printList(context, { items, listed, format });
    return 0;
  },
};

const listed: Listed<RevisionEntry> = {
  noun: 'revision',
  columns: [
    ['revision', ({ revision, isCurrent }) => `${revision}${isCurrent ? ' (present)' : ''}`],
    ['age', ({ time }, now) => formatAge(time, now)],
    ['change', ({ type }) => type],
    ['by', ({ manager, subresource }) => (subresource === undefined ? manager : `${manager} (${subresource})`)],
    ['fields', entry => fieldsOf(entry)],
    ['generation', ({ generation }) => (generation === undefined ? '' : String(generation)), 'wide'],
    ['time', ({ time }) => time, 'wide'],
  ],
  name: ({ revision }) => revision,
};

const maxFields = 3;

function fieldsOf({ changed = [], changedCount = changed.length }: RevisionEntry): string {
  const more = changedCount - Math.min(changed.length, maxFields);
  return `${changed.slice(0, maxFields).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function compare(
  { stdout }: CommandContext,
  { client }: Scope,
  { ref }: Target,
  revisions: readonly string[],
): Promise<number> {
  const [from, to, ...more] = revisions;
  if (from === undefined || more.length > 0)
    throw usageError('MissingArgument', '--diff takes one revision or two: see those that are kept without it');
  const [before, after] = await Promise.all([
    readRevision(client, ref, from),
    to === undefined ? client.get(ref) : readRevision(client, ref, to),
  ]);
  stdout.write(formatChanges(documentChanges({ ...authored(before) }, { ...authored(after) })));
  return 0;
}
