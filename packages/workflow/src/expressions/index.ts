/**
 * The expression languages of Workflow documents: expr-lang with the functions of Argo and sprig for `{{=…}}` and
 * `expression`, govaluate for `when`, and conditions on tasks for `depends`. Nothing here reads a clock or the world.
 */
export {
  type Depends,
  dependsTasks,
  evaluateDepends,
  parseDepends,
  type TaskResults,
  taskResultNames,
} from './depends/depends.ts';
export {
  compileExpression,
  type Environment,
  type EvaluateOptions,
  type Expression,
  evaluateExpression,
  referencedPaths,
} from './expression.ts';
export { insertedText } from './inserted-text.ts';
export { evaluateWhen } from './when/evaluate-when.ts';
