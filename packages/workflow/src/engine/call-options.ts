import type { Arguments } from '../document/parameters.ts';
import type { TemplateContext, TemplateHolder } from '../template/template-context.ts';
import type { Call } from './call.ts';
import type { Core } from './core.ts';
import type { NodeFlag } from './node-status.ts';
import type { CreateBody } from './retry-body.ts';

/** Who called a template. Notified from the queue. */
export interface CallOwner {
  /** The phase of the call's node changed. */
  readonly childChanged: (call: Call) => void;
  /** The template could not be executed; the node, if any, is marked. */
  readonly childErrored: (call: Call, message: string) => void;
}

export interface CallOptions {
  readonly core: Core;
  readonly name: string;
  readonly holder: TemplateHolder;
  /** What `steps.name` or `tasks.name` says. */
  readonly label: readonly [key: 'steps.name' | 'tasks.name', value: string];
  readonly context: TemplateContext;
  readonly arguments: Arguments;
  readonly boundary: string | undefined;
  readonly flag?: NodeFlag;
  readonly isExitHandler: boolean;
  /** Nesting of templates, 1 for the entrypoint. */
  readonly depth: number;
  readonly captureResult: boolean;
  readonly owner: CallOwner;
  readonly createBody: CreateBody;
}
