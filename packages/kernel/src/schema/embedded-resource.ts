import { fieldCause, type ObjectMeta, parseApiVersion, validateDnsLabel, validateObjectMeta } from '@chandlery/api';
import { type Findings, fieldOf } from './findings.ts';
import { isRecord, type JsonRecord } from './json.ts';

/** What an embedded resource must hold beyond the types of its fields: a version, a kind, and usable metadata. */
export function checkEmbeddedResource({ apiVersion, kind, metadata }: JsonRecord, found: Findings): void {
  const field = fieldOf(found);
  const refuse = (name: string, value: unknown, detail: string): void =>
    void found.causes.push(fieldCause.invalid(`${field}.${name}`, value, detail));
  if (typeof apiVersion === 'string' && (apiVersion === '' || parseApiVersion(apiVersion) === undefined))
    refuse('apiVersion', apiVersion, apiVersion === '' ? 'must not be empty' : 'must be a group and a version');
  if (typeof kind === 'string' && validateDnsLabel(kind.toLowerCase()).length > 0)
    refuse('kind', kind, kind === '' ? 'must not be empty' : 'must be a DNS label, in whichever case');
  if (isRecord(metadata)) found.causes.push(...metadataCauses(metadata, field));
}

/** A name may be missing: whoever makes an object of it may give one. */
function metadataCauses(metadata: ObjectMeta & JsonRecord, field: string) {
  const meta = { ...metadata, name: metadata.name || 'unnamed' };
  return validateObjectMeta(meta, { namespaced: (meta.namespace ?? '') !== '', nameRule: 'path-segment' }).map(
    cause => ({
      ...cause,
      field: `${field}.${cause.field}`,
    }),
  );
}
