import { type Template, templateKindOf } from '../document/template.ts';
import { WorkflowError } from '../errors.ts';
import type { NodeStatus } from './node-status.ts';

/** The type of the nodes of a template. */
export function nodeTypeOf(template: Template): NodeStatus['type'] {
  switch (templateKindOf(template)) {
    case 'container':
    case 'script':
    case 'containerSet':
      return 'Pod';
    case 'steps':
      return 'Steps';
    case 'dag':
      return 'DAG';
    case 'suspend':
      return 'Suspend';
    case 'http':
      return 'HTTP';
    default:
      throw new WorkflowError('invalid-document', `Template '${template.name ?? ''}' missing specification`);
  }
}
