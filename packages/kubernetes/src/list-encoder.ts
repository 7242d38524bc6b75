import type { KubeObject } from '@chandlery/api';
import type { Served } from '@chandlery/kernel';
import { stringify } from 'yaml';
import { type ResourceCall, representation } from './call.ts';
import { includeObjectOf, isPretty } from './representation-options.ts';
import type { ListMeta } from './table/list-meta.ts';
import { toPartialMetadata, toPartialMetadataList } from './table/partial-metadata.ts';
import { renderTable } from './table/table.ts';
import { isLongForYaml } from './yaml/json-to-yaml.ts';

/** Encodes a list in parts, so that it is never held as a whole: opening, items with separators between them, closing. */
export interface ListEncoder {
  readonly contentType: string;
  opening(isEmpty: boolean): string;
  item(served: Served): Buffer | string;
  readonly separator: string;
  closing(isEmpty: boolean): string;
}

/** The encoder for the representation that the client prefers. `metadata` is that of the list. */
export function listEncoder(call: ResourceCall, metadata: ListMeta): ListEncoder {
  const { as, version } = representation(call, 'resource');
  const { kind, version: own } = call.target.resource;
  const head = { kind: kind.listKind, apiVersion: own.apiVersion, metadata };
  switch (as) {
    case 'json':
      return isPretty(call.query)
        ? prettyEncoder(head, 'items', ({ object }) => object)
        : { ...jsonEncoder(head, 'items', ({ object }) => object), item: ({ bytes }) => bytes };
    case 'table':
      return tableEncoder(call, metadata, version);
    case 'partialMetadata': {
      const { items: _none, ...list } = toPartialMetadataList([], metadata, version);
      return objectEncoder(call, list, 'items', ({ object }) => toPartialMetadata(object, version));
    }
    case 'yaml':
    case 'aggregatedDiscovery':
      return yamlEncoder(head);
  }
}

type ToContent = (served: Served) => object | undefined;

function tableEncoder(call: ResourceCall, metadata: ListMeta, tableVersion: string): ListEncoder {
  const { version } = call.target.resource;
  const includeObject = includeObjectOf(call.query);
  const render = (items: readonly KubeObject[]) =>
    renderTable({ version, items, includeObject, now: call.now, tableVersion });
  const { rows: _none, ...table } = render([]);
  return objectEncoder(call, { ...table, metadata }, 'rows', ({ object }) => render([object]).rows[0]);
}

const objectEncoder = ({ query }: ResourceCall, head: object, field: string, content: ToContent): ListEncoder =>
  isPretty(query) ? prettyEncoder(head, field, content) : jsonEncoder(head, field, content);

const jsonEncoder = (head: object, field: string, content: ToContent): ListEncoder => ({
  contentType: 'application/json',
  opening: () => `${JSON.stringify(head).slice(0, -1)},"${field}":[`,
  item: served => JSON.stringify(content(served)),
  separator: ',',
  closing: () => ']}',
});

/** As `JSON.stringify` indents the whole list. */
const prettyEncoder = (head: object, field: string, content: ToContent): ListEncoder => ({
  contentType: 'application/json',
  opening: () => `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "${field}": [`,
  item: served => `\n    ${JSON.stringify(content(served), null, 2).replaceAll('\n', '\n    ')}`,
  separator: ',',
  closing: isEmpty => (isEmpty ? ']\n}\n' : '\n  ]\n}\n'),
});

const yamlItems = 'items:\n';
const yamlItem = Buffer.from('  - ');
const newLine = Buffer.from('\n');

const yamlEncoder = (head: object): ListEncoder => ({
  contentType: 'application/yaml',
  opening: isEmpty => `${stringify(head)}${isEmpty ? 'items: []\n' : yamlItems}`,
  item: ({ bytes, object }) =>
    isLongForYaml(bytes)
      ? Buffer.concat([yamlItem, bytes, newLine])
      : stringify({ items: [object] }).slice(yamlItems.length),
  separator: '',
  closing: () => '',
});
