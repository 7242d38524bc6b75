import type { JsonObject, KubeObject, ManagedFieldsEntry } from '@chandlery/api';
import { badRequest } from '@chandlery/api';
import type { Steps } from '@chandlery/platform';
import { equalFields, type FieldSet, fromFieldsV1, isEmptySet, subtractFields, toFieldsV1 } from './field-set.ts';

/** Someone who owns fields of an object. */
export interface Manager {
  /** The stored entry; its `fieldsV1` holds until `fields` differs from it. */
  readonly entry: ManagedFieldsEntry;
  readonly fields: FieldSet;
}

/** What makes a manager the same one later on. Appliers keep their identity over API versions. */
export function managerIdentity({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  return JSON.stringify([manager ?? '', operation, operation === 'Apply' ? '' : apiVersion, subresource ?? '']);
}

/** The managers of a stored object. What is stored was checked when it came in. */
export function storedManagers(object: KubeObject | undefined): readonly Manager[] {
  return (object?.metadata.managedFields ?? []).map(entry => ({ entry, fields: (entry.fieldsV1 ?? {}) as FieldSet }));
}

/** Reads managedFields that a client sent. Throws `BadRequest` for what is malformed. */
export function parseManagedFields(entries: readonly ManagedFieldsEntry[]): readonly Manager[] {
  const managers = new Map<string, Manager>();
  for (const entry of entries) {
    requireWellFormed(entry);
    managers.set(managerIdentity(entry), { entry, fields: fromFieldsV1(entry.fieldsV1 ?? {}) });
  }
  return [...managers.values()].filter(({ fields }) => !isEmptySet(fields));
}

function requireWellFormed({ operation, apiVersion, fieldsType }: ManagedFieldsEntry): void {
  if (operation !== 'Apply' && operation !== 'Update') throw badRequest('operation must be `Apply` or `Update`');
  if (!apiVersion) throw badRequest('apiVersion must not be empty');
  if (fieldsType !== 'FieldsV1') throw badRequest('fieldsType must be `FieldsV1`');
}

/** Who writes, and how. */
export interface ManagerInfo {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

/** The entry of a manager that takes part for the first time, or again at a later time. */
export function newEntry(
  { manager, operation, apiVersion, subresource }: ManagerInfo,
  time: string,
): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = { manager, operation, apiVersion, time, fieldsType: 'FieldsV1' };
  return subresource === undefined || subresource === '' ? entry : { ...entry, subresource };
}

/** The manager with a new entry and new fields; what is stored of its fields stays in use while they are the same. */
export function renewManager(before: Manager | undefined, entry: ManagedFieldsEntry, fields: FieldSet): Manager {
  if (before === undefined || !equalFields(before.fields, fields)) return { entry, fields };
  const { fieldsV1 } = before.entry;
  return { entry: fieldsV1 === undefined ? entry : { ...entry, fieldsV1 }, fields: before.fields };
}

/** The manager without fields that others took over or that were removed; the manager itself when it loses nothing. */
export function releaseFields(manager: Manager, taken: FieldSet, removed: FieldSet): Manager {
  const fields = subtractFields(subtractFields(manager.fields, taken), removed);
  return fields === manager.fields ? manager : { ...manager, fields };
}

/** The entries as they are stored: managers that own nothing left out, in Kubernetes' order. */
export function* encodeManagers(managers: readonly Manager[]): Steps<ManagedFieldsEntry[]> {
  const entries: ManagedFieldsEntry[] = [];
  for (const manager of managers) {
    if (isEmptySet(manager.fields)) continue;
    entries.push(encodeManager(manager));
    yield;
  }
  return entries.sort(compareEntries);
}

function encodeManager({ entry, fields }: Manager): ManagedFieldsEntry {
  return fields === (entry.fieldsV1 as FieldSet | undefined) ? entry : { ...entry, fieldsV1: toFieldsV1(fields) };
}

/** Appliers first, then by time, manager, version and sub-resource. */
function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareTexts(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

const compareTexts = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

/** Orders RFC 3339 times to the second; entries without a time are oldest. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  return a === b ? 0 : seconds(a) - seconds(b);
}

function seconds(time: string | undefined): number {
  const milliseconds = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}

/** The object with these managedFields; the field is absent rather than empty. */
export function withManagedFields(object: KubeObject, entries: ManagedFieldsEntry[] | undefined): KubeObject {
  if (object.metadata.managedFields === entries) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  const hasEntries = entries !== undefined && entries.length > 0;
  return { ...object, metadata: hasEntries ? { ...metadata, managedFields: entries } : metadata };
}

/** The object as ownership sees it: the notes about ownership are not part of it. */
export function bareObject(object: KubeObject | undefined): JsonObject {
  if (object === undefined) return {};
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}
