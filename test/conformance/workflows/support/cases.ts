import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

/** What a client does to a running workflow. */
export interface CaseCommand {
  /** The display name of the node that must be running. */
  readonly when: string;
  readonly do: 'resume' | 'Stop' | 'Terminate';
  /** Outputs that are supplied before the resume. */
  readonly set?: Readonly<Record<string, string>>;
}

/** A document and what genuine Argo makes of it. */
export interface Case {
  /** Also the workflow's, unless `metadata` has another. */
  readonly name: string;
  /** The section of the reference. */
  readonly rule: string;
  readonly why: string;
  readonly metadata?: { readonly name?: string; readonly [field: string]: unknown };
  readonly spec: { readonly templates?: readonly object[]; readonly [field: string]: unknown };
  /** Templates and ConfigMaps that must be there before. */
  readonly documents?: readonly StoredDocument[];
  /** The spec as it stands, without {@link commonTemplates} and a default entrypoint. */
  readonly raw?: boolean;
  readonly commands?: readonly CaseCommand[];
}

export interface StoredDocument {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** Templates that every case may call. */
const commonTemplates = parse(`
- name: say
  inputs: {parameters: [{name: text, value: hello}]}
  container: {image: 'alpine:3.7', command: [sh, -c], args: ['echo {{inputs.parameters.text}}']}
- name: do
  inputs: {parameters: [{name: what}]}
  container: {image: 'alpine:3.7', command: [sh, -c], args: ['{{inputs.parameters.what}}']}
- name: fail
  container: {image: 'alpine:3.7', command: [sh, -c], args: [exit 1]}
- name: give
  inputs: {parameters: [{name: text, value: given}]}
  container: {image: 'alpine:3.7', command: [sh, -c], args: ['echo {{inputs.parameters.text}} > /tmp/out']}
  outputs: {parameters: [{name: out, valueFrom: {path: /tmp/out}}]}
- name: noout
  container: {image: 'alpine:3.7', command: [sh, -c], args: ['true']}
  outputs: {parameters: [{name: out, valueFrom: {path: /tmp/none}}]}
`) as readonly object[];

/** The workflow of a case, and the documents that it needs. */
export function documentsOf({ name, metadata, spec, raw = false, documents = [] }: Case): {
  workflow: object;
  others: readonly StoredDocument[];
} {
  const whole = raw
    ? spec
    : { entrypoint: 'main', ...spec, templates: [...(spec.templates ?? []), ...commonTemplates] };
  const meta = { name, labels: { team: 'red' }, annotations: { note: 'hello' }, ...metadata };
  return {
    workflow: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: meta, spec: whole },
    others: documents,
  };
}

const folder = join(import.meta.dirname, '..');

const readYaml = (path: string): unknown => parse(readFileSync(join(folder, path), 'utf8'));

/** Files of cases by subject. */
export const subjects: readonly string[] = readdirSync(join(folder, 'cases')).map(file => basename(file, '.yaml'));

export const casesOf = (subject: string): readonly Case[] => readYaml(`cases/${subject}.yaml`) as readonly Case[];

/** Snapshots by the names of the cases. */
export const expectedOf = (subject: string): Readonly<Record<string, string>> =>
  readYaml(`expected/${subject}.yaml`) as Readonly<Record<string, string>>;
