import { isError, type KubeObject } from '@chandlery/api';
import { secondsOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { confirmDeletion, yesFlag } from '../output/confirm.ts';
import { kindOfObject } from './discover.ts';
import { dryRunFlag } from './dry-run.ts';
import { filenameFlag, readObjects } from './read-documents.ts';
import { collectionIn, labelOf, namedBy, openScope, type Scope, scopeFlags, type Target, targetsOf } from './scope.ts';
import { Failures } from './several.ts';
import { untilDeleted } from './until.ts';
import { isPrecious, whatGoesWith } from './what-goes-with.ts';

export const deleteCommand: Command = {
  name: 'delete',
  summary: 'Delete objects of any kind',
  group: 'Objects of any kind',
  usage: 'KIND NAME… | KIND/NAME… | -f FILE [flags]',
  examples: [
    'chandlery delete postgresdatabase/shop -n default',
    'chandlery delete project/acme --yes',
    'chandlery delete workspace/dev -n project-acme --dry-run',
    'chandlery delete -f shop.yaml --wait=false',
  ],
  arguments: { hasMore: true },
  formats: [],
  options: {
    ...filenameFlag,
    ...scopeFlags,
    ...yesFlag,
    wait: { type: 'switch', about: 'Wait until they are deleted. Default: true.' },
    timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait. Default: 300s.' },
    ...dryRunFlag,
  },
  notes: [
    'A terminal shows what goes with the object and asks for its name. Elsewhere --yes is needed when more goes with it',
    'than the object: it has finalizers, or it holds others, as a namespace does.',
  ],
  goal: args => `delete ${namedBy(args)}`,
  async run(context) {
    const timeoutMs = secondsOf(context.flags, 'timeout', 300);
    await using scope = await openScope(context);
    const targets = await targetsIn(context, scope);
    const isDryRun = context.flags.isOn('dry-run');
    const failures = new Failures({ isOneNamed: context.args.length > 0 });
    const found: Found[] = [];
    for (const target of targets)
      await failures.attempt(labelOfTarget(target), async () => {
        found.push({ target, object: await readOrNothing(scope, target) });
      });
    if (found.length > 0) await (isDryRun ? showWhatGoes(context, scope, found) : askFirst(context, scope, found));
    for (const { target } of found)
      await failures.attempt(labelOfTarget(target), () =>
        deleteOne(context, scope, { ...target, timeoutMs, isDryRun }).catch((thrown: unknown) => {
          // It was there: it went with another one.
          if (!isError(thrown, 'NotFound')) throw thrown;
          context.stdout.write(`${labelOfTarget(target)} deleted\n`);
        }),
      );
    failures.assertNone(targets.length);
    return 0;
  },
};

const labelOfTarget = ({ kind, ref }: Target): string => labelOf(kind, ref.name);

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

/** One object is confirmed by typing its name; several by a yes. */
async function askFirst(context: CommandContext, scope: Scope, found: readonly Found[]): Promise<void> {
  if (context.flags.isOn('yes')) return;
  const [first] = found;
  await confirmDeletion(context, {
    what: found.map(({ target }) => labelOfTarget(target)).join(', '),
    expected: found.length === 1 ? (first?.target.ref.name ?? '') : 'yes',
    isPrecious: found.some(({ target, object }) => isPrecious(target.kind, object)),
    goesWith: () => linesOf(scope, found),
  });
}

async function showWhatGoes({ stderr }: CommandContext, scope: Scope, found: readonly Found[]): Promise<void> {
  for (const line of await linesOf(scope, found)) stderr.write(`with it: ${line}\n`);
}

/** The object; undefined when the caller may delete and not read it. */
async function readOrNothing({ client }: Scope, { ref }: Target): Promise<KubeObject | undefined> {
  return client.get(ref).catch((thrown: unknown) => {
    if (isError(thrown, 'Forbidden')) return undefined;
    throw thrown;
  });
}

interface Found {
  readonly target: Target;
  readonly object: KubeObject | undefined;
}

async function linesOf(scope: Scope, found: readonly Found[]): Promise<readonly string[]> {
  const lines = await Promise.all(
    found.map(async ({ target, object }) => (object === undefined ? [] : await whatGoesWith(scope, target, object))),
  );
  return lines.flat();
}

interface Deletion extends Target {
  readonly timeoutMs: number;
  readonly isDryRun: boolean;
}

async function deleteOne(
  { flags, stdout, stderr: progress }: CommandContext,
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
      await untilDeleted(client, ref, {
        ...{ timeoutMs, progress, label, cluster: flags.text('cluster') },
        uid: deleted.metadata.uid,
      });
    stdout.write(`${label} deleted\n`);
  }
}
