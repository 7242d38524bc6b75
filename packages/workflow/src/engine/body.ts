import type { Template } from '../document/template.ts';
import type { TemplateContext, TemplateHolder } from '../template/template-context.ts';
import type { Core } from './core.ts';
import type { NodeFlag, NodeStatus } from './node-status.ts';

/** One execution of a template with bound inputs: of a call, or of one attempt of it. */
export interface BodyOptions {
  readonly core: Core;
  /** The name of the node. */
  readonly name: string;
  readonly template: Template;
  readonly holder: TemplateHolder;
  /** Where the template's own references are looked up. */
  readonly context: TemplateContext;
  /** What the status shows as the scope of the call. */
  readonly templateScope: string;
  readonly boundary: string | undefined;
  readonly flag: NodeFlag | undefined;
  readonly isExitHandler: boolean;
  readonly depth: number;
  readonly attempt: number;
  /** The attempt must end by then. */
  readonly executionDeadline: number | undefined;
  readonly captureResult: boolean;
  /** The node exists already because it waited, and starts only now. */
  readonly isUnlocked: boolean;
  readonly owner: BodyOwner;
}

export interface Body {
  /** Creates the node, or takes it up where it was when the execution was stored. */
  readonly start: () => void;
}

/** Notified from the queue, never from within a call of its own. */
export interface BodyOwner {
  /** The phase of the body's node changed. */
  readonly bodyChanged: (node: NodeStatus) => void;
  /** The template could not be executed; the node is marked. */
  readonly bodyErrored: (node: NodeStatus, message: string) => void;
}

/** The node of a body: the stored one, or a new one. */
export function openNode(options: BodyOptions, type: NodeStatus['type'], phase: NodeStatus['phase']): NodeStatus {
  const { core, name, template, holder, templateScope, boundary, flag } = options;
  return (
    core.nodes.get(name) ??
    core.nodes.create({ name, type, phase, holder, templateScope, boundary, flag, inputs: template.inputs })
  );
}
