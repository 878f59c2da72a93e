/** Shared by all stores with tables: conversion of rows to model types, independent of the database. */
export * from './chain.ts';
export * from './entityRows.ts';
export * from './figures.ts';
export * from './filterRows.ts';
export * from './jobRows.ts';
export * from './journalRows.ts';
export type * from './row.ts';
export * from './rawTurns.ts';
export * from './rowImages.ts';
export * from './noteFileRows.ts';
export * from './sealed.ts';
export * from './tally.ts';
export * from './topicRows.ts';
export * from './transferred.ts';
export * from './turnRows.ts';
export * from './unitRows.ts';
export * from './vectors.ts';
export * from './versions.ts';
