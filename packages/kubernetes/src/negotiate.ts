/** What an endpoint can answer with, besides plain JSON and YAML. */
export type EndpointKind =
  /** Objects and lists: also tables and metadata only. */
  | 'resource'
  /** `/api` and `/apis`: also aggregated discovery. */
  | 'discovery'
  /** Everything else. */
  | 'plain';

/** The representation that the client likes best among those that the endpoint has. */
export interface Negotiated {
  readonly as: 'json' | 'yaml' | 'table' | 'partialMetadata' | 'aggregatedDiscovery';
  /** Version of the wrapping kind (`v1` or `v1beta1`, for discovery `v2` or `v2beta1`); empty for JSON and YAML. */
  readonly version: string;
  /** `;pretty=1` was asked for. */
  readonly isPretty: boolean;
}

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

type Conversion = Pick<Negotiated, 'as' | 'version'>;

const conversions: Record<EndpointKind, ReadonlyMap<string, Conversion>> = {
  plain: new Map(),
  discovery: new Map([
    ['apidiscovery.k8s.io/v2/APIGroupDiscoveryList', { as: 'aggregatedDiscovery', version: 'v2' }],
    ['apidiscovery.k8s.io/v2beta1/APIGroupDiscoveryList', { as: 'aggregatedDiscovery', version: 'v2beta1' }],
  ]),
  resource: new Map<string, Conversion>(
    ['v1', 'v1beta1'].flatMap(version => [
      [`meta.k8s.io/${version}/Table`, { as: 'table', version }],
      [`meta.k8s.io/${version}/PartialObjectMetadata`, { as: 'partialMetadata', version }],
      [`meta.k8s.io/${version}/PartialObjectMetadataList`, { as: 'partialMetadata', version }],
    ]),
  ),
};

const encodings = new Map<string, 'json' | 'yaml'>([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['*', 'json'],
  ['application/yaml', 'yaml'],
]);

const plainJson: Negotiated = { as: 'json', version: '', isPretty: false };

/** Chooses the answer's representation; undefined means that nothing acceptable can be given (406). */
export function negotiate(accept: string | undefined, endpoint: EndpointKind): Negotiated | undefined {
  if (accept === undefined || accept.trim() === '') return plainJson;
  for (const clause of parseAccept(accept)) {
    const found = answerTo(clause, endpoint);
    if (found !== undefined) return found;
  }
  return undefined;
}

function answerTo({ type, parameters }: Clause, endpoint: EndpointKind): Negotiated | undefined {
  const encoding = encodings.get(type);
  const stream = parameters.get('stream') ?? 'watch';
  if (encoding === undefined || stream !== 'watch' || parameters.has('sv')) return undefined;
  const isPretty = parameters.get('pretty') === '1';
  if (!['as', 'g', 'v'].some(name => parameters.has(name))) return { as: encoding, version: '', isPretty };
  const wanted = ['g', 'v', 'as'].map(name => parameters.get(name) ?? '').join('/');
  const conversion = encoding === 'json' ? conversions[endpoint].get(wanted) : undefined;
  return conversion && { ...conversion, isPretty };
}

/** The header's clauses, best liked first; equally liked ones stay in the client's order. */
function parseAccept(accept: string): Clause[] {
  const clauses = accept.split(',').map(parseClause);
  return clauses.filter(({ type, quality }) => type !== '' && quality > 0).sort((a, b) => b.quality - a.quality);
}

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map(part => part.trim());
  const parameters = new Map(rest.map(parseParameter));
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), quality: Number.isNaN(quality) ? 1 : quality, parameters };
}

function parseParameter(text: string): [string, string] {
  const [name = '', value = ''] = text.split('=', 2).map(part => part.trim());
  return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')];
}

/** Negotiates, remembering the outcome for the few headers that clients really send. */
export class Negotiator {
  readonly #limit: number;
  readonly #known: Record<EndpointKind, Map<string, Negotiated | undefined>> = {
    plain: new Map(),
    discovery: new Map(),
    resource: new Map(),
  };

  constructor(options: { readonly limit?: number } = {}) {
    this.#limit = options.limit ?? 256;
  }

  /** As {@link negotiate}. */
  negotiate(accept: string | undefined, endpoint: EndpointKind): Negotiated | undefined {
    if (accept === undefined) return plainJson;
    const known = this.#known[endpoint];
    if (known.has(accept)) return known.get(accept);
    const outcome = negotiate(accept, endpoint);
    if (known.size >= this.#limit) known.clear();
    known.set(accept, outcome);
    return outcome;
  }
}
