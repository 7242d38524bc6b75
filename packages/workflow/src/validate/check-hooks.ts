import type { LifecycleHooks, TemplateCall } from '../document/template.ts';
import { refuse } from './problem.ts';

/** Hooks other than `exit` need a condition. */
export function checkHooks(hooks: LifecycleHooks | undefined, path: string): void {
  for (const [name, { expression = '' }] of Object.entries(hooks ?? {})) {
    if (name !== 'exit' && expression === '') refuse(`${path}.${name} Expression required`);
  }
}

export const hasExitHook = ({ hooks, onExit = '' }: TemplateCall): boolean =>
  hooks?.['exit'] !== undefined || onExit !== '';
