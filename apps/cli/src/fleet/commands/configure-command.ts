import { ChandleryError, isError } from '@chandlery/api';
import { parseYamlDocuments } from '@chandlery/client';
import { formatOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { formatValue } from '../../output/print-object.ts';
import { align } from '../../output/table.ts';
import { filenameFlag, readSources, type Source } from '../../resources/read-documents.ts';
import { type DocumentChange, documentChanges, formatChanges } from '../document-changes.ts';
import { connectFleet, type FleetClient, landscapeId } from '../fleet-client.ts';
import { type DocumentProblem, FleetAnswerError } from '../fleet-error.ts';
import { fleetGroup } from '../fleet-flags.ts';

type Document = Readonly<Record<string, unknown>>;

interface Configured {
  readonly product: string;
  readonly warnings: readonly DocumentProblem[];
}

/** Applies a configuration document. */
export const configureCommand: Command = {
  name: 'fleet configure',
  group: fleetGroup,
  summary: 'Put the configuration of a fleet product into force',
  usage: 'FILE | -f FILE [flags]',
  examples: ['chandlery fleet configure -f fleet.yaml', 'cat fleet.json | chandlery fleet configure -f -'],
  arguments: { hasMore: true },
  options: filenameFlag,
  notes: [
    'FILE is YAML or JSON; docs/fleet.md explains every key.',
    'The document is validated as a whole and put into force at once, for all replicas, without a restart.',
    'When it has problems they are listed, the exit code is 1, and nothing has changed.',
    'Secrets of the document are stored encrypted; neither this command nor the API shows them again.',
  ],
  goal: ([file]) => `put the configuration${file === undefined ? '' : ` "${file}"`} into force`,
  async run(context) {
    const format = formatOf(context.flags);
    const documents = (await readSources(context)).map(documentOf);
    await using fleet = connectFleet(context);
    for (const document of documents) {
      const { isNew, ...result } = await configure(context, fleet, document);
      if (format === 'table') print(context, { ...result, isNew });
      else context.stdout.write(formatValue(result, format));
    }
    return 0;
  },
};

async function configure(context: CommandContext, fleet: FleetClient, document: Document): Promise<Result> {
  const before = await documentInForce(fleet, productIdOf(document));
  const { product, warnings } = await put(context, fleet, document);
  const after = (await documentInForce(fleet, product)) ?? {};
  return { product, warnings, changes: documentChanges(before ?? {}, after), isNew: before === undefined };
}

function documentOf({ place, content }: Source): Document {
  const documents = parseYamlDocuments(content, place);
  const [document, ...others] = documents;
  if (others.length > 0) throw invalid(`${place} has ${documents.length} documents, and one is expected`);
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw invalid(`${place} holds no document with keys`);
  return document as Document;
}

const invalid = (message: string): ChandleryError =>
  new ChandleryError('DocumentInvalid', message, { hint: 'docs/fleet.md has an example and explains every key.' });

function productIdOf({ product }: Document): string | undefined {
  const { id } = (product ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : undefined;
}

/** The current document of a product, without secrets; undefined when there is no such product. */
async function documentInForce(fleet: FleetClient, product: string | undefined): Promise<Document | undefined> {
  if (product === undefined) return undefined;
  try {
    return await fleet.ask<Document>(landscapeId, ['configuration'], { query: { product } });
  } catch (thrown) {
    if (isError(thrown, 'Fleet7')) return undefined;
    throw thrown;
  }
}

async function put(context: CommandContext, fleet: FleetClient, document: Document): Promise<Configured> {
  try {
    return await fleet.ask<Configured>(landscapeId, ['configuration'], { method: 'PUT', body: document });
  } catch (thrown) {
    if (!(thrown instanceof FleetAnswerError) || thrown.problems.length === 0) throw thrown;
    context.stderr.write(align(thrown.problems.map(({ path, message }) => [path || 'document', message])));
    const count = thrown.problems.length === 1 ? 'a problem' : `${thrown.problems.length} problems`;
    throw new ChandleryError('DocumentInvalid', `the document has ${count}, listed above; nothing has changed`, {
      hint: 'Correct the document and run the command again; docs/fleet.md explains every key.',
    });
  }
}

interface Result extends Configured {
  readonly changes: readonly DocumentChange[];
  readonly isNew: boolean;
}

function print({ stdout, stderr }: CommandContext, { product, warnings, changes, isNew }: Result): void {
  const what = isNew ? 'created' : changes.length > 0 ? 'configured' : 'unchanged';
  stdout.write(`fleetproduct.fleet.chandlery.io/${product} ${what}\n${formatChanges(changes)}`);
  for (const { path, message } of warnings) stderr.write(`Warning: ${path} ${message}\n`);
}
