import { authored, ChandleryError, isError, isSameJson, type KubeObject, parseApiVersion } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import type { Command, CommandContext } from '../command.ts';
import { printList, printOne } from '../output/print-results.ts';
import { dryRunFlag } from './dry-run.ts';
import { fieldManager, placeOfObject } from './place-of-object.ts';
import { filenameFlag, readObjects } from './read-documents.ts';
import { labelOf, openScope, type Scope, scopeFlags, withoutManagedFields } from './scope.ts';
import { Failures } from './several.ts';

const applyFormats = ['table', 'json', 'yaml', 'name', 'jsonl'] as const;
type ApplyFormat = (typeof applyFormats)[number];

export const applyCommand: Command = {
  name: 'apply',
  summary: 'Create objects of any kind, or change them to what files say',
  group: 'Objects of any kind',
  usage: '-f FILE [flags]',
  examples: [
    'chandlery apply -f shop.yaml',
    'chandlery apply -f shop.yaml --dry-run=server',
    'cat shop.yaml | chandlery apply --cluster acme -f -',
  ],
  formats: applyFormats,
  options: {
    ...filenameFlag,
    ...scopeFlags,
    ...dryRunFlag,
    'force-conflicts': { type: 'switch', about: 'Take over fields that others have set.' },
  },
  notes: [
    'Fields that the files no longer contain, and that an earlier apply had set, are removed (server-side apply).',
  ],
  goal: () => 'apply the objects',
  async run(context) {
    const format = formatOf(context.flags, applyFormats);
    const objects = await readObjects(context);
    await using scope = await openScope(context);
    const applied: Applied[] = [];
    const failures = new Failures();
    for (const object of objects)
      await failures.attempt(nameIn(object), async () => {
        const done = await applyOne(context, scope, object);
        if (format === 'table') context.stdout.write(`${done.label} ${done.verb}\n`);
        applied.push(done);
      });
    if (format !== 'table' && applied.length > 0) printApplied(context, applied, format);
    failures.assertNone(objects.length);
    return 0;
  },
};

/** As `labelOf`, also for kinds that the cluster does not serve. */
function nameIn({ apiVersion, kind, metadata }: KubeObject): string {
  const { group = '' } = parseApiVersion(apiVersion) ?? {};
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${metadata.name ?? ''}`;
}

interface Applied {
  readonly label: string;
  readonly verb: string;
  readonly object: KubeObject;
}

function printApplied(context: CommandContext, applied: readonly Applied[], format: ApplyFormat): void {
  const labels = new Map(applied.map(({ object, label }) => [object, label]));
  const name = (object: KubeObject): string => labels.get(object) ?? '';
  const items = applied.map(({ object }) => object);
  const [only] = items;
  if (items.length === 1 && only !== undefined) printOne(context, { object: only, format, render: name, name });
  else printList(context, { items, listed: { noun: 'object', columns: [], document: 'List', name }, format });
}

async function applyOne(context: CommandContext, scope: Scope, object: KubeObject): Promise<Applied> {
  const { kind, ref, body } = await placeOfObject(scope, object);
  const label = labelOf(kind, ref.name);
  const isDryRun = context.flags.isOn('dry-run');
  const isForced = context.flags.isOn('force-conflicts');
  const written = await write(scope, { ref, body, isDryRun, isForced }).catch((thrown: unknown) => {
    throw withHint(thrown);
  });
  const verb = `${written.verb}${isDryRun ? ' (dry run)' : ''}`;
  return { label, verb, object: withoutManagedFields(written.object) };
}

interface Write {
  readonly ref: ObjectRef;
  readonly body: KubeObject;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
}

type Written = Pick<Applied, 'verb' | 'object'>;

async function write({ client }: Scope, { ref, body, isDryRun, isForced }: Write): Promise<Written> {
  const options = { fieldManager, isDryRun, fieldValidation: 'Strict' } as const;
  const before = await client.get(ref).catch((thrown: unknown) => {
    if (isError(thrown, 'NotFound', 'Forbidden')) return thrown.code;
    throw thrown;
  });
  if (before === 'Forbidden') {
    // The caller may be allowed to create objects of this kind and to read only those of its own.
    return { verb: 'created', object: await client.create(ref, body, options) };
  }
  const after = await client.patch(ref, { type: 'apply', body, force: isForced }, options);
  if (typeof before === 'string') return { verb: 'created', object: after };
  return { verb: isSame(before, after, isDryRun) ? 'unchanged' : 'configured', object: after };
}

/** A dry run makes no new version: what it would store is compared. */
const isSame = (before: KubeObject, after: KubeObject, isDryRun: boolean): boolean =>
  isDryRun
    ? isSameJson(authored(before), authored(after))
    : before.metadata.resourceVersion === after.metadata.resourceVersion;

function withHint(thrown: unknown): unknown {
  const hint = isError(thrown) ? hints[thrown.code] : undefined;
  if (!isError(thrown) || hint === undefined) return thrown;
  return new ChandleryError(thrown.code, thrown.message, { cause: thrown, details: thrown.details, hint });
}

const hints: Readonly<Record<string, string>> = {
  Conflict: 'Take over these fields with --force-conflicts, or leave them out.',
};
