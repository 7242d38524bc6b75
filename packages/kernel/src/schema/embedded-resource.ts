import {
  fieldCause,
  isRecord,
  type ObjectMeta,
  parseApiVersion,
  validateDnsLabel,
  validateObjectMeta,
} from '@chandlery/api';
import { type Check, type Findings, fieldOf, tryCheck } from './findings.ts';
import type { JsonRecord } from './json.ts';

/**
 * Compiles what an embedded resource must hold beyond the types of its fields: a version, a kind, and usable metadata.
 * `checkTypes` checks the types of metadata, which are right before anything else is said about it.
 */
export const compileEmbeddedResource =
  (checkTypes: Check) =>
  (object: JsonRecord, found: Findings): void => {
    checkNames(object, found);
    const { metadata } = object;
    if (!isRecord(metadata) || tryCheck(checkTypes, metadata, found).length > 0) return;
    found.causes.push(...metadataCauses(metadata, fieldOf(found)));
  };

function checkNames({ apiVersion, kind }: JsonRecord, found: Findings): void {
  const field = fieldOf(found);
  const refuse = (name: string, value: unknown, detail: string): void =>
    void found.causes.push(fieldCause.invalid(`${field}.${name}`, value, detail));
  if (typeof apiVersion === 'string' && (apiVersion === '' || parseApiVersion(apiVersion) === undefined))
    refuse('apiVersion', apiVersion, apiVersion === '' ? 'must not be empty' : 'must be a group and a version');
  if (typeof kind === 'string' && validateDnsLabel(kind.toLowerCase()).length > 0)
    refuse('kind', kind, kind === '' ? 'must not be empty' : 'must be a DNS label, in whichever case');
}

/** A name may be missing: the creator of the object may give one. */
function metadataCauses(metadata: ObjectMeta & JsonRecord, field: string) {
  const meta = { ...metadata, name: metadata.name || 'unnamed' };
  return validateObjectMeta(meta, { namespaced: (meta.namespace ?? '') !== '', nameRule: 'path-segment' }).map(
    cause => ({
      ...cause,
      field: `${field}.${cause.field}`,
    }),
  );
}
