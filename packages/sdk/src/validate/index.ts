/** Validates a provider on a running landscape, from installation to removal. */
export { renderStep, renderSummary, type StepResult, type ValidationReport } from './report.ts';
export { type ValidateOptions, validateProvider } from './validate-provider.ts';
export { resourceOf } from './validation-context.ts';
export { readValidationFile, type ValidationFile } from './validation-file.ts';
