import protobuf from 'protobufjs';
import { type ResourceType, resourceTypes, typeUrls } from '../model/resource.ts';
import { contentField } from './test-view.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Resource { string version = 1; Any resource = 2; string name = 3; }
  message Whole { string version_info = 1; repeated Any resources = 2; string type_url = 4; string nonce = 5; }
  message Delta {
    string system_version_info = 1;
    repeated Resource resources = 2;
    string type_url = 4;
    string nonce = 5;
    repeated string removed_resources = 6;
  }
  message Content { string name = 1; string content = ${contentField}; }
`);
const [whole, delta, content] = ['Whole', 'Delta', 'Content'].map(name => root.lookupType(name));

/** A decoded response. */
export interface TestResponse {
  readonly type: ResourceType;
  readonly version: string;
  readonly nonce: string;
  /** Content by name, in the order of the response. */
  readonly resources: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

interface TestAny {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

/** Decodes a response with resources of a `TestView`. Throws when a client would have to reject it. */
export function decodeResponse(message: Uint8Array, mode: 'sotw' | 'delta'): TestResponse {
  const read = (mode === 'sotw' ? whole : delta)?.decode(message).toJSON() as Record<string, unknown>;
  const typeUrl = String(read.typeUrl);
  const type = resourceTypes.find(each => typeUrls[each] === typeUrl);
  if (type === undefined) throw new Error(`a response of an unknown type: ${typeUrl}`);
  const wrapped = (read.resources ?? []) as (TestAny & { resource?: TestAny; name?: string })[];
  const entries = wrapped.map(each => readContent(each.resource ?? each, typeUrl));
  if (new Set(entries.map(([name]) => name)).size !== entries.length) throw new Error('a name occurs twice');
  return {
    type,
    version: (read.versionInfo ?? read.systemVersionInfo ?? '') as string,
    nonce: (read.nonce ?? '') as string,
    resources: Object.fromEntries(entries),
    removed: (read.removedResources ?? []) as string[],
  };
}

function readContent(any: TestAny, typeUrl: string): [string, string] {
  if (any.typeUrl !== typeUrl) throw new Error(`a resource of type ${any.typeUrl} in a response of type ${typeUrl}`);
  const bytes = Buffer.from(any.value as unknown as string, 'base64');
  const read = content?.decode(bytes).toJSON() as { name: string; content: string };
  return [read.name, read.content];
}
