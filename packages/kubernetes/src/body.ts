import { isUtf8 } from 'node:buffer';
import {
  apiError,
  badRequest,
  canonicalizeNumbers,
  hasLongDigits,
  isError,
  type JsonValue,
  type ProtobufMessage,
  parseJson,
} from '@chandlery/api';
import { parseJsonStrict, scanJson } from '@chandlery/kernel';
import { decodeProtobuf, protobufMediaType } from './protobuf/decode.ts';
import { decodeYaml } from './yaml-body.ts';

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
}

/** The media type without parameters, in lower case. */
export const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Decodes a request body by its media type; JSON when none is given. */
export function decodeBody(body: Buffer, { contentType, isStrict, messageOf }: BodyOptions): DecodedBody {
  const type = mediaTypeOf(contentType);
  switch (type) {
    case '':
    case 'application/json':
    case 'application/json-patch+json':
    case 'application/merge-patch+json':
    case 'application/strategic-merge-patch+json':
      return decodeJson(body, isStrict);
    case 'application/yaml':
    case 'application/apply-patch+yaml':
      return decodeYamlOrJson(body, isStrict);
    case protobufMediaType:
      return { value: decodeProtobuf(body, messageOf), problems: [] };
    default:
      throw apiError(
        'UnsupportedMediaType',
        `the body of the request was in an unknown format (${type}) - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf`,
      );
  }
}

/** Most bodies of these types are JSON, which is read faster. One that only begins like JSON is flow YAML. */
function decodeYamlOrJson(body: Buffer, isStrict: boolean): DecodedBody {
  if (looksLikeJson(body)) {
    try {
      return decodeJson(body, isStrict);
    } catch (error) {
      if (!isError(error, 'BadRequest')) throw error;
    }
  }
  return { value: decodeYaml(textOf(body)), problems: [] };
}

/** Decodes JSON within the limits of depth and size; numbers as `canonicalizeNumbers` has them. */
function decodeJson(body: Buffer, isStrict: boolean): DecodedBody {
  const text = textOf(body);
  const { hasExponents } = scanJson(body);
  try {
    const { value, duplicates } = isStrict ? parseJsonStrict(text) : { value: parseJson(text), duplicates: [] };
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
