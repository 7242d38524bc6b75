import { isDeepStrictEqual } from 'node:util';
import { type ErrorCause, fieldCause, type KubeObject } from '@chandlery/api';
import type { Behaviour } from './behaviour.ts';

interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  immutable?: boolean;
}

const keyPattern = /^[-._a-zA-Z0-9]+$/;

/** Keys that each well-known type of Secret must have. */
const requiredKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
]);

/** What the type of a Secret demands: keys, JSON, and the account that a token is of. */
function typeCauses({ type = '', data = {}, metadata }: Secret): ErrorCause[] {
  const missing = (keys: readonly string[]) => keys.filter(key => data[key] === undefined);
  if (type === 'kubernetes.io/basic-auth') {
    const keys = ['username', 'password'];
    return missing(keys).length < keys.length ? [] : keys.map(key => fieldCause.required(`data[${key}]`));
  }
  if (type === 'kubernetes.io/service-account-token') {
    const name = metadata.annotations?.[accountAnnotation] ?? '';
    return name === '' ? [fieldCause.required(`metadata.annotations[${accountAnnotation}]`)] : [];
  }
  const keys = requiredKeys.get(type) ?? [];
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(Buffer.from(text, 'base64').toString());
      return true;
    } catch {
      return false;
    }
  };
  const wrong = type.startsWith('kubernetes.io/docker') ? keys.filter(key => !isJson(data[key] ?? 'e30=')) : [];
  return [
    ...missing(keys).map(key => fieldCause.required(`data[${key}]`)),
    ...wrong.map(key => fieldCause.invalid(`data[${key}]`, '<secret contents redacted>', 'must be JSON')),
  ];
}

const accountAnnotation = 'kubernetes.io/service-account.name';
const maxDataBytes = 1024 * 1024;

/** The bytes that base64 texts stand for. */
const bytesOf = (data: Record<string, string> = {}): number =>
  Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0);

const sizeCauses = (field: string, bytes: number): ErrorCause[] =>
  bytes > maxDataBytes ? [fieldCause.tooLong(field, maxDataBytes)] : [];

function foldStringData(object: KubeObject): void {
  const secret = object as Secret;
  if (secret.stringData === undefined) return;
  const folded = Object.entries(secret.stringData).map(
    ([key, text]) => [key, Buffer.from(text).toString('base64')] as const,
  );
  secret.data = { ...secret.data, ...Object.fromEntries(folded) };
  delete secret.stringData;
}

/** stringData is written, never read; well-known types have their keys; immutable ones stay as they are. */
export const secretBehaviour: Behaviour = {
  prepareCreate: foldStringData,
  prepareUpdate: foldStringData,
  validate(object) {
    const secret = object as Secret;
    return [...keyCauses('data', secret.data), ...sizeCauses('data', bytesOf(secret.data)), ...typeCauses(secret)];
  },
  validateUpdate(object, live) {
    const [secret, before] = [object as Secret, live as Secret];
    const causes = immutableCauses(secret, before, ['data']);
    if (secret.type !== before.type) causes.push(fieldCause.invalid('type', secret.type, 'field is immutable'));
    return causes;
  },
};

export const configMapBehaviour: Behaviour = {
  validate(object) {
    const map = object as { data?: Record<string, string>; binaryData?: Record<string, string> };
    const twice = Object.keys(map.binaryData ?? {}).filter(
      key => map.data !== undefined && Object.hasOwn(map.data, key),
    );
    const textBytes = Object.values(map.data ?? {}).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return [
      ...keyCauses('data', map.data),
      ...keyCauses('binaryData', map.binaryData),
      ...sizeCauses('', textBytes + bytesOf(map.binaryData)),
      ...twice.map(key => fieldCause.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ];
  },
  validateUpdate: (object, live) => immutableCauses(object, live, ['data', 'binaryData']),
};

function keyCauses(field: string, data: Record<string, string> | undefined): ErrorCause[] {
  return Object.keys(data ?? {})
    .filter(key => !keyPattern.test(key) || key.length > 253 || key === '.' || key === '..')
    .map(key =>
      fieldCause.invalid(
        `${field}[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      ),
    );
}

function immutableCauses(object: KubeObject, live: KubeObject, fields: readonly string[]): ErrorCause[] {
  if (live['immutable'] !== true) return [];
  const causes = fields
    .filter(field => !isDeepStrictEqual(object[field], live[field]))
    .map(field => fieldCause.forbidden(field, 'field is immutable when `immutable` is set'));
  if (object['immutable'] !== true)
    causes.push(fieldCause.forbidden('immutable', 'field is immutable when `immutable` is set'));
  return causes;
}
