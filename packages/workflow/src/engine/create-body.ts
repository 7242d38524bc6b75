import { type Template, templateKindOf } from '../document/template.ts';
import { WorkflowError } from '../errors.ts';
import type { Body, BodyOptions } from './body.ts';
import { DagBody } from './dag-body.ts';
import { HttpBody } from './http-body.ts';
import { PodBody } from './pod-body.ts';
import { StepsBody } from './steps-body.ts';
import { SuspendBody } from './suspend-body.ts';

/** The body that executes a kind of template. */
export function createBody(options: BodyOptions): Body {
  const { template } = options;
  switch (templateKindOf(template)) {
    case 'container':
    case 'script':
    case 'containerSet':
      return new PodBody(options);
    case 'steps':
      return new StepsBody(options, createBody);
    case 'dag':
      return new DagBody(options, createBody);
    case 'suspend':
      return new SuspendBody(options);
    case 'http':
      return new HttpBody(options);
    default:
      throw unsupported(template);
  }
}

const unsupported = ({ name = '' }: Template): WorkflowError =>
  new WorkflowError('invalid-document', `Template '${name}' missing specification`);
