import { isUtf8 } from 'node:buffer';
import {
  apiError,
  badRequest,
  canonicalizeNumbers,
  hasLongDigits,
  isError,
  type JsonValue,
  type ProtobufMessage,
  parsingJson,
} from '@chandlery/api';
import { parseJsonStrict, scanJson } from '@chandlery/kernel';
import { finishSteps, Pace, type Steps } from '@chandlery/platform';
import { decodeProtobuf, protobufMediaType } from './protobuf/decode.ts';
import type { YamlDecoder } from './yaml/yaml-decoder.ts';
import { yamlToJson } from './yaml/yaml-to-json.ts';

export interface DecodedBody {
  readonly value: JsonValue;
  /** Duplicate fields, as sentences; looked for only when asked. */
  readonly problems: readonly string[];
}

export interface BodyOptions {
  readonly contentType: string | undefined;
  /** Whether to look for duplicate fields. */
  readonly isStrict: boolean;
  readonly messageOf: (apiVersion: string, kind: string) => ProtobufMessage | undefined;
  readonly yaml: YamlDecoder;
  /** How many values it may have. Default: as all bodies, 100,000. */
  readonly maxValues?: number;
  /** Who sends it: senders of long YAML take turns. */
  readonly sender: string;
}

/** The media type without parameters, in lower case. */
export const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Decodes a request body by its media type; JSON when none is given. Long ones in steps, between which others work. */
export function decodeBody(body: Buffer, options: BodyOptions): DecodedBody | Promise<DecodedBody> {
  const type = mediaTypeOf(options.contentType);
  switch (type) {
    case '':
    case 'application/json':
    case 'application/json-patch+json':
    case 'application/merge-patch+json':
    case 'application/strategic-merge-patch+json':
      return new Pace().run(decodeJson(body, options.isStrict, options.maxValues));
    case 'application/yaml':
    case 'application/apply-patch+yaml':
      return decodeYamlOrJson(body, options);
    case protobufMediaType:
      return { value: decodeProtobuf(body, options.messageOf), problems: [] };
    default:
      throw apiError(
        'UnsupportedMediaType',
        `the body of the request was in an unknown format (${type}) - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf`,
      );
  }
}

/** Decodes a body that is known to be short, at once. */
export function decodeShortBody(
  body: Buffer,
  contentType: string | undefined,
  messageOf: BodyOptions['messageOf'],
): JsonValue {
  switch (mediaTypeOf(contentType)) {
    case 'application/yaml':
    case 'application/apply-patch+yaml':
      return finishSteps(decodeJson(Buffer.from(yamlToJson(textOf(body))), false)).value;
    case protobufMediaType:
      return decodeProtobuf(body, messageOf);
    default:
      return finishSteps(decodeJson(body, false)).value;
  }
}

/** Most bodies of these types are JSON, which is read faster. One that only begins like JSON is flow YAML. */
async function decodeYamlOrJson(body: Buffer, { isStrict, yaml, sender }: BodyOptions): Promise<DecodedBody> {
  if (looksLikeJson(body)) {
    try {
      return await new Pace().run(decodeJson(body, isStrict));
    } catch (error) {
      if (!isError(error, 'BadRequest')) throw error;
    }
  }
  return { value: await yaml.decode(textOf(body), sender), problems: [] };
}

/** Decodes JSON within the limits of depth and size; numbers as `canonicalizeNumbers` has them. */
function* decodeJson(body: Buffer, isStrict: boolean, maxValues?: number): Steps<DecodedBody> {
  const text = textOf(body);
  const { hasExponents, keys } = scanJson(body, maxValues);
  yield;
  try {
    const { value, duplicates } = isStrict
      ? yield* parseJsonStrict(text, keys)
      : { value: yield* parsingJson(text), duplicates: [] };
    yield;
    if (hasExponents || hasLongDigits(text)) canonicalizeNumbers(value);
    return { value: value as JsonValue, problems: duplicates.map(path => `duplicate field "${path}"`) };
  } catch (error) {
    if (isError(error)) throw error;
    throw badRequest(`the body is not valid JSON: ${(error as Error).message}`);
  }
}

function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw badRequest('the body is not valid UTF-8');
  return body.toString();
}

const looksLikeJson = (body: Buffer): boolean => {
  const start = body.subarray(0, 64).toString().trimStart();
  return start.startsWith('{') || start.startsWith('[');
};
