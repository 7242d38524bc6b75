import type protobuf from 'protobufjs';
import { type EncodedResource, type ResourceType, typeUrls } from '../../model/resource.ts';
import type { Pack, ResourceMessages } from '../proto/messages.ts';
import { versionOf } from './version-of.ts';

/** Encodes messages. Equal messages with equal order of map keys have equal bytes. */
export interface ResourceEncoder {
  readonly pack: Pack;
  readonly encode: <Type extends ResourceType>(
    type: Type,
    name: string,
    message: ResourceMessages[Type],
  ) => EncodedResource;
}

const urlPrefix = 'type.googleapis.com/';

export function createResourceEncoder(root: protobuf.Root): ResourceEncoder {
  const types = new Map<string, protobuf.Type>();
  const typeOf = (name: string): protobuf.Type => {
    const type = types.get(name) ?? root.lookupType(name);
    types.set(name, type);
    return type;
  };
  const bytesOf = (name: string, message: object): Uint8Array => {
    const type = typeOf(name);
    return type.encode(type.fromObject(message)).finish();
  };
  return {
    pack: (name, message) => ({ type_url: urlPrefix + name, value: bytesOf(name, message) }),
    encode(type, name, message) {
      const type_url = typeUrls[type];
      const value = bytesOf(type_url.slice(urlPrefix.length), message);
      const any = bytesOf('google.protobuf.Any', { type_url, value });
      return { type, name, version: versionOf(any), any };
    },
  };
}
