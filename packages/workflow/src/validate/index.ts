/** Says before anything runs whether a document can be executed, in the words of Argo. */
export { type ValidateOptions, validateWorkflow } from './validate-workflow.ts';
