import type { ContainerSet } from '../document/container.ts';
import type { Template } from '../document/template.ts';
import type { WorkflowDocument } from '../document/workflow.ts';
import { checkNames, fieldNameProblem } from './check-names.ts';
import { firstCycle } from './dag-graph.ts';
import { placeholderPattern } from './placeholders.ts';
import { refuse, within } from './problem.ts';

/** Refuses a template that runs something itself and is incomplete. `base` is the document that it stands in. */
export function checkLeaf(template: Template, base: WorkflowDocument): void {
  const path = `templates.${template.name ?? ''}`;
  const defaults = base.spec.templateDefaults;
  if (template.container !== undefined) {
    checkMounts(template, path);
    if (!template.container.image && !defaults?.container?.image) refuse(`${path}.container.image may not be empty`);
  }
  if (template.containerSet !== undefined) checkContainerSet(template, template.containerSet, path);
  for (const { name } of template.sidecars ?? []) {
    if (isReserved(name)) refuse(`${path}.sidecars: "${name}" is a reserved Argo container name`);
  }
  if (template.script !== undefined && !template.script.image && !defaults?.script?.image) {
    refuse(`${path}.script.image may not be empty`);
  }
  checkDeadline(template, path);
  if (template.parallelism !== undefined) refuse(`${path}.parallelism is only valid for steps and dag templates`);
}

const isReserved = (name: string): boolean =>
  ['wait', 'supervisor'].includes(name) || name.startsWith('artifact-plugin-');

function checkMounts({ container, inputs }: Template, path: string): void {
  const mounted = new Map<string, string>();
  for (const [index, { mountPath, name }] of (container?.volumeMounts ?? []).entries()) {
    const previous = mounted.get(mountPath);
    if (previous !== undefined) {
      refuse(`${path}.container.volumeMounts[${index}].mountPath '${mountPath}' already mounted in ${previous}`);
    }
    mounted.set(mountPath, `container.volumeMounts.${name}`);
  }
  for (const [index, { name, path: file = '' }] of (inputs?.artifacts ?? []).entries()) {
    const previous = mounted.get(file);
    if (previous !== undefined)
      refuse(`${path}.inputs.artifacts[${index}].path '${file}' already mounted in ${previous}`);
    mounted.set(file, `inputs.artifacts.${name}`);
  }
}

function checkContainerSet({ inputs, outputs }: Template, { containers = [] }: ContainerSet, path: string): void {
  within(`${path}.containerSet.`, () => {
    if (containers.length === 0) refuse('containers must have at least one container');
    within('containers', () => checkNames(containers, fieldNameProblem));
    const names = new Set(containers.map(({ name }) => name));
    for (const { name, dependencies = [] } of containers) {
      const unknown = dependencies.find(dependency => !names.has(dependency));
      if (unknown !== undefined) refuse(`containers.${name} dependency '${unknown}' not defined`);
    }
    const cycle = firstCycle(new Map(containers.map(({ name, dependencies = [] }) => [name, dependencies])));
    if (cycle !== undefined) refuse(`containers dependency cycle detected: ${cycle.join('->')}`);
  });
  const passes = [inputs?.artifacts, outputs?.parameters, outputs?.artifacts].some(list => (list ?? []).length > 0);
  if (passes && !containers.some(({ name }) => name === 'main')) {
    refuse(`${path}.containerSet.containers must have a container named "main" for input or output`);
  }
  const reserved = containers.find(({ name }) => isReserved(name));
  if (reserved !== undefined)
    refuse(`${path}.containerSet.containers: "${reserved.name}" is a reserved Argo container name`);
}

function checkDeadline({ activeDeadlineSeconds: seconds }: Template, path: string): void {
  if (seconds === undefined) return;
  const isInt = /^[+-]?\d+$/.test(String(seconds));
  const isTag = typeof seconds === 'string' && (/^\{\{[^]*\}\}$/.test(seconds) || placeholderPattern.test(seconds));
  if ((!isInt && !isTag) || Number(seconds) < 0) {
    refuse(`${path}.activeDeadlineSeconds must be a positive integer > 0 or an argo variable`);
  }
}
