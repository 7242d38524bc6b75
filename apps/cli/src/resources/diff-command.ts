import { authored, isError, type KubeObject } from '@chandlery/api';
import type { Command } from '../command.ts';
import { type DocumentChange, documentChanges, formatChanges } from '../fleet/document-changes.ts';
import { exitCodes } from '../output/report-error.ts';
import { fieldManager, placeOfObject } from './place-of-object.ts';
import { filenameFlag, readObjects } from './read-documents.ts';
import { labelOf, openScope, type Scope, scopeFlags } from './scope.ts';

export const diffCommand: Command = {
  name: 'diff',
  summary: 'Show what apply would change',
  group: 'Objects of any kind',
  usage: '-f FILE [flags]',
  examples: ['chandlery diff -f shop.yaml', 'cat shop.yaml | chandlery diff --cluster acme -f -'],
  formats: [],
  options: { ...filenameFlag, ...scopeFlags },
  notes: [
    'The server works out the result with defaults, as for apply, and stores nothing. Values of Secrets are not shown.',
    'The exit code is 0 without a difference, 1 with one, 2 when it cannot be found out.',
  ],
  failureCode: exitCodes.usage,
  goal: () => 'compare the objects',
  async run(context) {
    const objects = await readObjects(context);
    await using scope = await openScope(context);
    let isDifferent = false;
    for (const object of objects) {
      const { label, isNew, changes } = await compare(scope, object);
      if (changes.length === 0) continue;
      isDifferent = true;
      context.stdout.write(`${label}${isNew ? ' is new' : ''}\n${formatChanges(changes)}`);
    }
    return isDifferent ? exitCodes.failure : exitCodes.ok;
  },
};

interface Comparison {
  readonly label: string;
  readonly isNew: boolean;
  readonly changes: readonly DocumentChange[];
}

async function compare(scope: Scope, object: KubeObject): Promise<Comparison> {
  const { kind, ref, body } = await placeOfObject(scope, object);
  const before = await scope.client.get(ref).catch((thrown: unknown) => {
    if (isError(thrown, 'NotFound')) return undefined;
    throw thrown;
  });
  const options = { fieldManager, isDryRun: true, fieldValidation: 'Strict' } as const;
  const after = await scope.client.patch(ref, { type: 'apply', body, force: true }, options);
  const changes = documentChanges(before === undefined ? {} : { ...authored(before) }, { ...authored(after) });
  return {
    label: labelOf(kind, ref.name),
    isNew: before === undefined,
    changes: kind.kind === 'Secret' ? changes.map(withoutValue) : changes,
  };
}

const withoutValue = ({ path, type }: DocumentChange): DocumentChange => ({ path, type });
