import type { KubeObject } from '@chandlery/api';
import { ChandleryError, isError } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import type { Command, CommandContext } from '../command.ts';
import { discoverKinds, kindOfObject, type ServedKind } from './discover.ts';
import { readObjects } from './read-documents.ts';
import { collectionIn, labelOf, openScope, type Scope, scopeFlags } from './scope.ts';

const fieldManager = 'chandlery';

export const applyCommand: Command = {
  name: 'apply',
  summary: 'Create objects of any kind, or change them to what files say',
  group: 'Objects of any kind',
  usage: '-f FILE [flags]',
  examples: [
    'chandlery apply -f shop.yaml',
    'chandlery apply -f shop.yaml --dry-run',
    'cat shop.yaml | chandlery apply --cluster acme -f -',
  ],
  options: {
    filename: {
      type: 'text',
      short: 'f',
      valueName: 'FILE',
      isMultiple: true,
      about: 'A file, a folder, or - for standard input.',
    },
    ...scopeFlags,
    'dry-run': { type: 'switch', about: 'Let the server check everything and store nothing.' },
    'force-conflicts': { type: 'switch', about: 'Take over fields that others have set.' },
  },
  notes: [
    'Fields that the files no longer contain, and that an earlier apply had set, are removed (server-side apply).',
  ],
  goal: () => 'apply the objects',
  async run(context) {
    const objects = await readObjects(context);
    await using scope = await openScope(context);
    for (const object of objects) await applyOne(context, scope, object);
    return 0;
  },
};

async function applyOne(context: CommandContext, scope: Scope, object: KubeObject): Promise<void> {
  const kind = await kindServed(scope, object);
  const ref = refOf(scope, kind, object);
  const { namespace } = ref;
  const body = namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };
  const isDryRun = context.flags.isOn('dry-run');
  const isForced = context.flags.isOn('force-conflicts');
  const verb = await write(scope, { ref, body, isDryRun, isForced }).catch((thrown: unknown) => {
    throw withName(thrown, labelOf(kind, ref.name));
  });
  context.stdout.write(`${labelOf(kind, ref.name)} ${verb}${isDryRun ? ' (dry run)' : ''}\n`);
}

interface Write {
  readonly ref: ObjectRef;
  readonly body: KubeObject;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
}

async function write({ client }: Scope, { ref, body, isDryRun, isForced }: Write): Promise<string> {
  const options = { fieldManager, isDryRun };
  const before = await client.get(ref).catch((thrown: unknown) => {
    if (isError(thrown, 'NotFound', 'Forbidden')) return thrown.code;
    throw thrown;
  });
  if (before === 'Forbidden') {
    // The caller may be allowed to create objects of this kind and to read only those of its own.
    await client.create(ref, body, options);
    return 'created';
  }
  const after = await client.patch(ref, { type: 'apply', body, force: isForced }, options);
  if (typeof before === 'string') return 'created';
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
}

/** A kind that an earlier document has just defined is served a moment later. */
async function kindServed(scope: Scope, object: KubeObject): Promise<ServedKind> {
  try {
    return kindOfObject(object, scope.kinds);
  } catch (thrown) {
    if (!isError(thrown, 'UnknownKind')) throw thrown;
    return kindOfObject(object, await discoverKinds(scope.client));
  }
}

/** An object names its namespace itself, or belongs to that of the command. */
function refOf(scope: Scope, kind: ServedKind, { metadata }: KubeObject): ObjectRef {
  const collection = collectionIn(scope, kind);
  const namespace = kind.isNamespaced ? metadata.namespace : undefined;
  return { ...collection, ...(namespace === undefined ? {} : { namespace }), name: metadata.name ?? '' };
}

function withName(thrown: unknown, label: string): unknown {
  if (!isError(thrown)) return thrown;
  const isConflict = thrown.code === 'Conflict';
  const hint = isConflict ? 'Take over these fields with --force-conflicts, or leave them out.' : thrown.hint;
  return new ChandleryError(thrown.code, `${label}: ${thrown.message}`, {
    cause: thrown,
    details: thrown.details,
    ...(hint === undefined ? {} : { hint }),
  });
}
