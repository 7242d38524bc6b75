import { podNameOf } from '../document/node-ids.ts';
import type { Arguments } from '../document/parameters.ts';
import { type Template, templateKindOf } from '../document/template.ts';
import { bindArguments } from '../template/bind-arguments.ts';
import { layerScopes, mapScope } from '../template/scope.ts';
import type { TemplateContext } from '../template/template-context.ts';
import type { CallOptions } from './call-options.ts';
import type { NodeStatus } from './node-status.ts';

/** A template with the inputs of one call. */
export interface BoundCall {
  readonly template: Template;
  /** Where the template's own references are looked up. */
  readonly context: TemplateContext;
}

/** Finds the template of a call and binds its arguments; `stored` is the node when it exists already. */
export function bindCall(options: CallOptions, stored: NodeStatus | undefined): BoundCall {
  const { core, holder } = options;
  const { template, context } = core.templates.resolve(holder, options.context);
  const scope = layerScopes(mapScope(localValues(options, template)), core.scope);
  const given = argumentsOf(options, stored);
  return { template: bindArguments(template, { arguments: given, scope, readConfigMap: core.readConfigMap }), context };
}

function localValues({ core, name, label }: CallOptions, template: Template): Map<string, string> {
  const values = new Map<string, string>([label, ['node.name', name]]);
  const kind = templateKindOf(template);
  const isPod = kind === 'container' || kind === 'script' || kind === 'containerSet';
  if (isPod && core.retryStrategyOf(template) === undefined)
    values.set('pod.name', podNameOf(core.name, name, template.name));
  return values;
}

/** Inputs of a node that exists already are those that it was made with. */
function argumentsOf({ core, arguments: given }: CallOptions, stored: NodeStatus | undefined): Arguments {
  const inputs = stored?.inputs?.parameters;
  if (inputs === undefined) return given;
  const parameters = inputs.map(parameter =>
    parameter.value === undefined ? parameter : { name: parameter.name, value: core.inert(parameter.value) },
  );
  return { ...given, parameters };
}
