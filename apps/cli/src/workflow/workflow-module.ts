import type * as Workflow from '@chandlery/workflow';

/** Loads the workflow engine; only commands that read or change documents wait for that. */
export const loadWorkflow = (): Promise<typeof Workflow> => import('@chandlery/workflow');
