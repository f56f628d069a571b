/** The register of workflow types: Temporal finds them by these names. */
export { taskWorkflow } from './task-workflow.ts';
