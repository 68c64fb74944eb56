import eslint from '@eslint/js'
import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import globals from 'globals'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['node_modules/', 'out/', 'dist/', 'sample/', 'coverage/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  vue.configs['flat/recommended'],
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname, extraFileExtensions: ['.vue'] },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  // The door and the entries speak to a person on a console; everything else goes through a logger or a printer.
  {
    files: ['scripts/**', 'electron/headless/*.mjs', 'tests/bench/**', 'tests/screenshots/**'],
    rules: { 'no-console': 'off' },
  },
  { files: ['**/*.{js,mjs,cjs}', 'electron/**', 'tests/**', '*.ts'], languageOptions: { globals: globals.node } },
  { files: ['renderer/**'], languageOptions: { globals: globals.browser } },
  // The types of .vue files are vue-tsc's: linting with types makes a new program for each of them, which took longer than
  // all other files together.
  {
    files: ['**/*.vue'],
    rules: { ...tseslint.configs.disableTypeChecked.rules },
    languageOptions: { parserOptions: { parser: tseslint.parser, projectService: false } },
  },
  prettier,
)
