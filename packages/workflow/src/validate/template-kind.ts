import { type Template, type TemplateKind, templateKindOf, templateKinds } from '../document/template.ts';
import { refuse } from './problem.ts';

/** Argo's names of the kinds, as its messages show them. */
export const kindNames: Readonly<Record<TemplateKind, string>> = {
  container: 'Container',
  containerSet: 'ContainerSet',
  steps: 'Steps',
  script: 'Script',
  resource: 'Resource',
  dag: 'DAG',
  suspend: 'Suspend',
  data: 'Data',
  http: 'HTTP',
  plugin: 'Plugin',
};

const choices = 'choose one of: container, containerSet, steps, script, resource, dag, suspend, template, template ref';
const leafKinds: readonly TemplateKind[] = [
  'container',
  'containerSet',
  'script',
  'resource',
  'data',
  'http',
  'plugin',
];
const podKinds: readonly TemplateKind[] = ['container', 'containerSet', 'script', 'resource', 'data'];

/** The only kind of a template. */
export function checkKind(template: Template): TemplateKind {
  const { name = '' } = template;
  const kind = templateKindOf(template) ?? refuse(`template '${name}' type is unknown`);
  const count = templateKinds.filter(candidate => template[candidate] !== undefined).length;
  if (count > 1) refuse(`templates.${name} multiple template types specified. ${choices}`);
  return kind;
}

export const isLeaf = (kind: TemplateKind): boolean => leafKinds.includes(kind);
export const isPod = (kind: TemplateKind): boolean => podKinds.includes(kind);

/** Whether a template has a result and an exit code. */
export function hasResult(template: Template): boolean {
  const { container, containerSet, script, data, http, plugin } = template;
  const hasMain = containerSet?.containers?.some(({ name }) => name === 'main') === true;
  return hasMain || [container, script, data, http, plugin].some(kind => kind !== undefined);
}
