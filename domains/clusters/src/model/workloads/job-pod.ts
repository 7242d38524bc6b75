import type { Container } from '../pods/pod.ts';
import { indexAnnotation } from './job-indexes.ts';
import type { Job, PodTemplate } from './objects.ts';

const indexVariable = 'JOB_COMPLETION_INDEX';

/** The template of a job's pod; one of an indexed job knows its number. */
export function jobTemplate({ spec, metadata }: Job, index: number | undefined): PodTemplate {
  const template = spec?.template ?? {};
  if (index === undefined) return template;
  const number = { [indexAnnotation]: String(index) };
  return {
    metadata: {
      ...template.metadata,
      labels: { ...template.metadata?.labels, ...number },
      annotations: { ...template.metadata?.annotations, ...number },
    },
    spec: {
      ...template.spec,
      hostname: template.spec?.hostname ?? `${metadata.name}-${index}`,
      ...(template.spec?.initContainers === undefined
        ? {}
        : { initContainers: template.spec.initContainers.map(withIndex) }),
      containers: (template.spec?.containers ?? []).map(withIndex),
    },
  };
}

function withIndex(container: Container): Container {
  if (container.env?.some(({ name }) => name === indexVariable) === true) return container;
  const fieldPath = `metadata.annotations['${indexAnnotation}']`;
  return {
    ...container,
    env: [...(container.env ?? []), { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }],
  };
}
