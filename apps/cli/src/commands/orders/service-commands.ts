import { ChandleryError, isError } from '@chandlery/api';
import { parseYamlDocuments } from '@chandlery/client';
import { didYouMean } from '@chandlery/platform';
import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { documentChanges, formatChanges } from '../../fleet/document-changes.ts';
import { connectOrders, type OrdersClient } from '../../orders/orders-client.ts';
import { limitFlag, limitOf, ordersGroup, take, tenantFlag } from '../../orders/orders-flags.ts';
import {
  findService,
  listedServices,
  renderService,
  type ServiceItem,
  type ServiceRecord,
  servicesNamed,
} from '../../orders/services.ts';
import { urnOf } from '../../orders/urns.ts';
import { confirmDeletion, yesFlag } from '../../output/confirm.ts';
import { isForPeople, resultFormats } from '../../output/print-object.ts';
import { printList, printOne } from '../../output/print-results.ts';
import { filenameFlag, readSources, type Source } from '../../resources/read-documents.ts';

/** Lists services. */
export const serviceListCommand: Command = {
  name: 'service list',
  group: ordersGroup,
  summary: 'List the services that can be ordered or used, the newest first',
  usage: '[flags]',
  examples: ['chandlery service list', 'chandlery service list --search picture', 'chandlery service list -o name'],
  formats: resultFormats,
  options: {
    ...tenantFlag,
    search: {
      type: 'text',
      valueName: 'WORDS',
      about: 'Only services about these words, the best first. Default: all.',
    },
    ...limitFlag,
  },
  goal: () => 'list the services',
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const limit = limitOf(context.flags);
    const search = context.flags.text('search');
    await using client = connectOrders(context);
    const items = await take(client.list<ServiceItem>(['services2'], search === undefined ? {} : { search }), limit);
    printList(context, { items, listed: listedServices, format });
    return 0;
  },
};

/** Shows one service. */
export const serviceDescribeCommand: Command = {
  name: 'service describe',
  group: ordersGroup,
  summary: 'Show a service with its parameters',
  usage: 'SERVICE [flags]',
  examples: ['chandlery service describe gradient', 'chandlery service describe gradient -o yaml'],
  arguments: { required: ['SERVICE'] },
  formats: resultFormats,
  options: { ...tenantFlag },
  notes: ['SERVICE is an id (urn:ivcap:service:UUID, or the UUID alone), or a name.'],
  goal: ([wanted]) => `describe the service "${wanted}"`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    await using client = connectOrders(context);
    const record = await findService(client, context.args[0] ?? '');
    printOne(context, { object: record, format, render: renderService });
    return 0;
  },
};

type Document = Readonly<Record<string, unknown>>;

/** Creates or replaces a service. */
export const serviceApplyCommand: Command = {
  name: 'service apply',
  group: ordersGroup,
  summary: 'Create a service from a document, or replace it',
  usage: 'FILE… | -f FILE [flags]',
  examples: ['chandlery service apply -f gradient.yaml', 'cat gradient.json | chandlery service apply -f -'],
  arguments: { hasMore: true },
  formats: resultFormats,
  options: { ...filenameFlag, ...tenantFlag },
  notes: [
    'FILE is YAML or JSON, a service of generation 2 (controller) or 1 (workflow).',
    'A document with an id ($id) is that service; one without is the only service of its name, or a new one.',
  ],
  goal: ([file]) => `apply the service${file === undefined ? 's' : ` "${file}"`}`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const documents = (await readSources(context)).map(documentOf);
    await using client = connectOrders(context);
    for (const document of documents) {
      const { record, what, changes } = await applyService(client, document);
      printOne(context, { object: record, format, render: ({ id }) => `${id} ${what}\n${formatChanges(changes)}` });
      for (const warning of warningsOf(document, record)) context.stderr.write(`warning: ${warning}\n`);
      if (what === 'created' && isForPeople(format))
        context.stderr.write(`  Next:  npx chandlery service describe ${record.name ?? record.id}\n`);
    }
    return 0;
  },
};

/** Deletes a service. */
export const serviceDeleteCommand: Command = {
  name: 'service delete',
  group: ordersGroup,
  summary: 'Delete a service; its orders stay',
  usage: 'SERVICE [flags]',
  examples: ['chandlery service delete gradient', 'chandlery service delete gradient --yes'],
  arguments: { required: ['SERVICE'] },
  formats: [],
  options: { ...tenantFlag, ...yesFlag },
  notes: ['SERVICE is an id (urn:ivcap:service:UUID, or the UUID alone), or a name.'],
  goal: ([wanted]) => `delete the service "${wanted}"`,
  async run(context) {
    await using client = connectOrders(context);
    const { id, name = id } = await findService(client, context.args[0] ?? '');
    await confirmDeletion(context, { what: `the service "${name}"`, expected: name });
    await client.send(['services2', id], { method: 'DELETE' });
    context.stdout.write(`${id} deleted\n`);
    return 0;
  },
};

async function applyService(client: OrdersClient, document: Document) {
  const existing = await findExisting(client, document);
  const record = await write(client, document, existing?.id ?? givenUrn(document));
  const changes = existing === undefined ? [] : documentChanges(content(existing), content(record));
  const what = existing === undefined ? 'created' : changes.length > 0 ? 'configured' : 'unchanged';
  return { record, what, changes };
}

/** Every key of a service that is not a further field of its author. */
const serviceKeys = [
  ...['id', 'name', 'description', 'tags', 'parameters', 'policy', 'banner', 'references', 'contact', 'license'],
  ...['controller', 'controller-schema', 'request-schema', 'workflow', 'account', 'status'],
];

/** What is accepted, and is probably not meant: further fields are stored, and models may be added later. */
function warningsOf(document: Document, record: ServiceRecord): readonly string[] {
  const misspelt = Object.keys(document).flatMap(key => {
    const meant = serviceKeys.includes(key) ? '' : didYouMean(key, serviceKeys);
    return meant === '' ? [] : [`"${key}" means nothing to a service${meant}`];
  });
  const isUsable = record.links?.some(({ rel }) => rel !== 'self') ?? true;
  if (isUsable) return misspelt;
  const schema = JSON.stringify(record['controller-schema'] ?? 'none');
  return [...misspelt, `no model of this landscape executes the controller schema ${schema}: orders will be rejected`];
}

function documentOf({ place, content: text }: Source): Document {
  const documents = parseYamlDocuments(text, place);
  const [document] = documents;
  if (documents.length > 1) throw invalid(`${place} has ${documents.length} documents, and one is expected`);
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw invalid(`${place} holds no document with keys`);
  return document as Document;
}

const invalid = (message: string): ChandleryError =>
  new ChandleryError('DocumentInvalid', message, {
    hint: 'A service has a name, parameters, and a controller whose $schema names the model.',
  });

/** The id that the author chose; tools leave a placeholder there, which stands for none. */
function givenUrn(document: Document): string | undefined {
  const id = document['id'] ?? document['$id'];
  return typeof id === 'string' ? urnOf('service', id) : undefined;
}

async function findExisting(client: OrdersClient, document: Document): Promise<ServiceRecord | undefined> {
  const urn = givenUrn(document);
  const { name } = document;
  if (urn === undefined && typeof name !== 'string') return undefined;
  if (urn === undefined && (await servicesNamed(client, String(name))).length === 0) return undefined;
  try {
    return await findService(client, urn ?? String(name));
  } catch (thrown) {
    if (isError(thrown, 'Orders:not-found')) return undefined;
    throw thrown;
  }
}

/** With a URN the service is replaced, or created with it; otherwise it is created. */
async function write(client: OrdersClient, document: Document, urn: string | undefined): Promise<ServiceRecord> {
  const collection = 'workflow' in document && !('controller' in document) ? 'services' : 'services2';
  const written =
    urn === undefined
      ? await client.ask<ServiceRecord>([collection], { method: 'POST', body: document })
      : await client.ask<ServiceRecord>([collection, urn], {
          method: 'PUT',
          query: { 'force-create': true },
          body: document,
        });
  return await client.ask<ServiceRecord>(['services2', written.id]);
}

/** What an author can change of a service. */
function content({ 'valid-from': _, links: __, ...rest }: ServiceRecord): Document {
  return { ...rest };
}
