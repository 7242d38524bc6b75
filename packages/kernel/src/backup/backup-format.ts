import { isRecord, type JsonObject } from '@chandlery/api';
import type { ObjectKey, SnapshotObject } from '../store/store.ts';
import { backupCorrupted, backupTooNew, notABackup } from './backup-errors.ts';

/**
 * A backup is gzipped text of one JSON document a line: header, extras, one line an object, trailer. The trailer holds
 * the number of objects and the SHA-256 of every byte before its own line.
 */
const format = 'chandlery-backup';
/** The version that is written, and the newest that can be read. */
const version = 1;

/** The first line: what this is and of which moment. */
export interface BackupHeader {
  readonly format: string;
  readonly version: number;
  readonly revision: number;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** The second line: what a landscape needs besides its objects. As secret as the keys inside. */
export interface BackupExtras {
  /** The landscape's keys; without them encrypted objects are unreadable. */
  readonly keys: JsonObject;
  /** Durable facts of the store. Default none. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** The last line. */
export interface BackupTrailer {
  readonly count: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** One object. */
interface ObjectLine {
  readonly key: readonly [cluster: string, resource: string, namespace: string, name: string];
  readonly revision: number;
  readonly createdRevision: number;
  readonly splice: number;
  readonly terms: readonly number[];
  readonly unique: readonly string[];
  readonly expiresAt?: number;
  /** Base64. */
  readonly value: string;
}

export const formatHeader = (revision: number, createdAt: Date): string =>
  JSON.stringify({ format, version, revision, createdAt: createdAt.toISOString() } satisfies BackupHeader);

export const formatExtras = ({ keys, facts = {} }: BackupExtras): string => JSON.stringify({ keys, facts });

export const formatTrailer = ({ count, sha256 }: BackupTrailer): string => JSON.stringify({ count, sha256 });

export function formatObject({ key, value, ...rest }: SnapshotObject): string {
  const { revision, createdRevision, terms, unique, expiresAt } = rest;
  const { buffer, byteOffset, byteLength } = value.bytes;
  const line: ObjectLine = {
    key: [key.cluster, key.resource, key.namespace, key.name],
    revision,
    createdRevision,
    splice: value.splice,
    terms,
    unique,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    value: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  };
  return JSON.stringify(line);
}

/** Reads the header; rejects what is no backup or too new to be understood. */
export function parseHeader(line: string): BackupHeader {
  const header = tryParse(line) as Partial<BackupHeader> | undefined;
  if (header?.format !== format) throw notABackup('its first line is not the header of one');
  if (!isCount(header.version) || header.version < 1) throw notABackup('its header has no version');
  if (header.version > version) throw backupTooNew(header.version, version);
  if (!isCount(header.revision) || typeof header.createdAt !== 'string')
    throw backupCorrupted('its header is incomplete');
  return header as BackupHeader;
}

export function parseExtras(line: string): Required<BackupExtras> {
  const extras = tryParse(line) as Partial<Required<BackupExtras>> | undefined;
  if (!isRecord(extras?.keys)) throw backupCorrupted('the line with the keys is unreadable');
  const { keys, facts = {} } = extras as BackupExtras;
  if (!isRecord(facts) || !Object.values(facts).every(isText))
    throw backupCorrupted('the line with the facts is unreadable');
  return { keys, facts };
}

/** One of the lines after the extras. */
export type BodyLine =
  | { readonly type: 'object'; readonly object: SnapshotObject }
  | { readonly type: 'trailer'; readonly trailer: BackupTrailer };

export function parseBodyLine(line: string): BodyLine {
  const parsed = tryParse(line) as Partial<ObjectLine & BackupTrailer> | undefined;
  if (isCount(parsed?.count) && isText(parsed.sha256)) {
    return { type: 'trailer', trailer: { count: parsed.count, sha256: parsed.sha256 } };
  }
  if (!isObjectLine(parsed)) throw backupCorrupted('a line in it is unreadable');
  return { type: 'object', object: toObject(parsed) };
}

function toObject({
  key,
  value,
  splice,
  terms,
  unique,
  revision,
  createdRevision,
  expiresAt,
}: ObjectLine): SnapshotObject {
  const bytes = Buffer.from(value, 'base64');
  if (splice > bytes.length) throw backupCorrupted('a value in it is too short');
  return {
    key: toKey(key),
    revision,
    createdRevision,
    value: { bytes, splice },
    terms,
    unique,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

const toKey = ([cluster, resource, namespace, name]: ObjectLine['key']): ObjectKey => ({
  cluster,
  resource,
  namespace,
  name,
});

function isObjectLine(parsed: Partial<ObjectLine> | undefined): parsed is ObjectLine {
  if (!isRecord(parsed)) return false;
  const { key, revision, createdRevision, splice, terms, unique, expiresAt, value } = parsed;
  return (
    isListOf(key, isText) &&
    key.length === 4 &&
    [revision, createdRevision, splice].every(isCount) &&
    isListOf(terms, Number.isSafeInteger) &&
    isListOf(unique, isText) &&
    (expiresAt === undefined || Number.isSafeInteger(expiresAt)) &&
    isText(value)
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isListOf = (value: unknown, isMember: (member: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.every(isMember);

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line) ?? undefined;
  } catch {
    return undefined;
  }
}
